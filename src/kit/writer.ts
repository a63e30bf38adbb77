import { gather, type Waiting } from './gather.ts'
import { startThread } from './thread.ts'
import { type Failed, type Packed, packed, type Unit } from './units.ts'

/** A row that must be unique is there already. */
export class NotUnique extends Error {
  /** `table.column, table.column` */
  readonly columns: string
  constructor(columns: string) {
    super(`not unique: ${columns}`)
    this.name = 'NotUnique'
    this.columns = columns
  }
}

/** The file takes nothing now: the disk is full, or it failed. */
export class DiskProblem extends Error {
  override name = 'DiskProblem'
}

/** Writes to one file from a thread. What comes while a commit runs goes into the next one. */
export type Writer = {
  /** All or nothing; resolves when it is on disk. Throws NotUnique and DiskProblem. A unit that fails takes no other with it. */
  write(unit: Unit): Promise<void>
  /** Writes what it was given, then closes the file. */
  close(): Promise<void>
}

const rowsPerGroup = 5_000

function reason(path: string, { message, unique, isDisk }: Failed): Error {
  if (unique) return new NotUnique(unique)
  const said = `nothing of this was written to ${path}: ${message}`
  return isDisk ? new DiskProblem(said) : new Error(said)
}

function answer(each: Waiting<Unit, void>, path: string, failed: Failed | undefined): void {
  if (failed) each.reject(reason(path, failed))
  else each.resolve()
}

/** Opens the file and brings it to the schema of this build: `migrations` is a folder. */
export async function openWriter(path: string, migrations: URL): Promise<Writer> {
  const thread = await startThread<Packed, (Failed | undefined)[]>(new URL('./writer.thread.ts', import.meta.url), {
    path,
    migrations: migrations.href,
  })
  const group = gather<Unit, void>(
    async (units) => {
      const results = await thread.ask(packed(units.map(({ unit }) => unit)))
      for (const [at, each] of units.entries()) answer(each, path, results[at])
    },
    { limit: rowsPerGroup, weigh: (unit) => unit.reduce((sum, { rows }) => sum + rows.length, 0) },
  )
  return {
    write: (unit) => group.add(unit),
    async close() {
      await group.close()
      await thread.close()
    },
  }
}
