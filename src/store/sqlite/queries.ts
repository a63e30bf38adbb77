import { Fault } from '#contract/fault.ts'
import type { Issue } from '#contract/schema.ts'
import type { JournalQueries } from '#store/journalQueries.ts'
import { createJournalReads } from '#store/sql/journalReads.ts'
import { type Read, runRead } from '#store/sql/read.ts'
import { sqliteDialect } from './dialect.ts'
import { readNewEvents } from './readChanges.ts'
import type { SqlReader } from './sqlReader.ts'

const reads = createJournalReads(sqliteDialect, readNewEvents) as Record<
  string,
  (...args: readonly unknown[]) => Read<unknown>
>

export type QueryAsk = { name: keyof JournalQueries; args: readonly unknown[] }
/** Issues, such as a malformed cursor, are a value, because an error would lose them between threads. */
export type QueryAnswer = { value: unknown } | { issues: readonly Issue[] }

export const createQueryAnswerer =
  (read: SqlReader) =>
  ({ name, args }: QueryAsk): QueryAnswer => {
    try {
      return { value: runRead(reads[name]!(...args), read) }
    } catch (problem) {
      const issues = problem instanceof Fault ? problem.attributes?.issues : undefined
      if (!issues) throw problem
      return { issues: issues as readonly Issue[] }
    }
  }
