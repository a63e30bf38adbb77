import { createBatcher, type PendingItem } from './batcher.ts'
import { startThread } from './thread.ts'
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
  /** The same. Resolves with the number of rows that the statements of the unit inserted, updated or deleted. */
  change(unit: WriteUnit): Promise<number>
  /** Waits for pending units, then closes the file. */
  close(): Promise<void>
}

const rowsPerGroup = 5_000

function errorOf(path: string, { message, unique, isDisk }: WriteFailure): Error {
  if (unique) return new NotUnique(unique)
  const text = `nothing of this was written to ${path}: ${message}`
  return isDisk ? new DiskProblem(text) : new Error(text)
}

function resolveWrite(each: PendingItem<WriteUnit, number>, path: string, result: UnitResult): void {
  if (typeof result === 'number') each.resolve(result)
  else each.reject(errorOf(path, result))
}

/** Opens a database and migrates it. `migrations` is a folder. */
export async function openWriter(path: string, migrations: URL): Promise<Writer> {
  const thread = await startThread<WriteBatch, UnitResult[]>(
    new URL('./writer.thread.ts', import.meta.url),
    { path, migrations: migrations.href },
    'endProcess',
  )
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
