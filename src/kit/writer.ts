import { createBatcher, type PendingItem } from './batcher.ts'
import type { Thread } from './thread.ts'
import { packWrites, type UnitResult, type WriteBatch, type WriteFailure, type WriteUnit } from './writeBatch.ts'

/** A unique constraint was violated. */
export class NotUnique extends Error {
  /** The columns of the constraint: `table.column, table.column`. */
  readonly columns: string
  constructor(columns: string) {
    super(`not unique: ${columns}`)
    this.name = 'NotUnique'
    this.columns = columns
  }
}

/** The file cannot be written: the disk is full or has failed. */
export class DiskProblem extends Error {
  override name = 'DiskProblem'
}

/** Writes to one database in a thread, with group commit: units that arrive during a commit share the next one. */
export type Writer = {
  /**
   * Writes a unit atomically, and resolves when it is on disk. Throws NotUnique and DiskProblem. Other units are not
   * affected.
   */
  write(unit: WriteUnit): Promise<void>
  /** Like `write`, but resolves with the number of rows that the statements inserted, updated or deleted. */
  change(unit: WriteUnit): Promise<number>
  /** Waits for pending units, then closes the file. */
  close(): Promise<void>
}

const rowsPerGroup = 5_000

function errorOf(path: string, { message, unique, isDisk }: WriteFailure): Error {
  if (unique) return new NotUnique(unique)
  const text = `nothing was written to ${path}: ${message}`
  return isDisk ? new DiskProblem(text) : new Error(text)
}

function resolveWrite(each: PendingItem<WriteUnit, number>, path: string, result: UnitResult): void {
  if (typeof result === 'number') each.resolve(result)
  else each.reject(errorOf(path, result))
}

/** Groups the writes of one database. `path` is its file, for the errors; `thread` writes the groups. */
export function createWriter(path: string, thread: Pick<Thread<WriteBatch, UnitResult[]>, 'ask' | 'close'>): Writer {
  const group = createBatcher<WriteUnit, number>(
    async (units) => {
      const results = await thread.ask(packWrites(units.map(({ unit }) => unit)))
      for (const [at, each] of units.entries()) resolveWrite(each, path, results[at]!)
    },
    { limit: rowsPerGroup, weigh: (unit) => unit.reduce((sum, { rows }) => sum + rows.length, 0) },
  )
  return {
    write: async (unit) => void (await group.add(unit)),
    change: (unit) => group.add(unit),
    async close() {
      await group.close()
      await thread.close()
    },
  }
}
