import type { SqlParam } from '#kit/writeBatch.ts'
import type { SqlReads, SqlRow } from './sql.ts'

type Select = readonly [sql: string, ...params: SqlParam[]]

/**
 * A generator that yields queries and receives their rows. SQLite answers at once; on PostgreSQL each query is awaited.
 */
export type Read<Out> = Generator<Select, Out, SqlRow[]>

export type ReadsOf<Queries> = {
  [Name in keyof Queries]: Queries[Name] extends (...args: infer Args) => Promise<infer Out>
    ? (...args: Args) => Read<Out>
    : never
}

type AnyReads = Record<string, (...args: unknown[]) => Read<unknown>>

export const queriesOf = <Queries>(reads: ReadsOf<Queries>, run: (read: Read<unknown>) => unknown): Queries =>
  Object.fromEntries(
    Object.entries(reads as AnyReads).map(([name, read]) => [name, async (...args: unknown[]) => run(read(...args))]),
  ) as Queries

/** Runs a read on a connection that answers at once. */
export function runRead<Out>(read: Read<Out>, { all }: { all(sql: string, ...params: SqlParam[]): SqlRow[] }): Out {
  let step = read.next()
  while (!step.done) step = read.next(all(...step.value))
  return step.value
}

export async function awaitRead<Out>(read: Read<Out>, { all }: Pick<SqlReads, 'all'>): Promise<Out> {
  let step = read.next()
  while (!step.done) step = read.next(await all(...step.value))
  return step.value
}
