import type { DatabaseSync } from 'node:sqlite'
import { migrate } from '#kit/migrate.ts'
import { keepTemporaryDataInMemory, openDatabase, transact } from '#kit/sqlite.ts'
import type { Program } from '#kit/thread.ts'
import { isDiskError, type UnitResult, unitWriter, type WriteBatch } from '#kit/writeBatch.ts'
import { openDisk } from '#log/disk.ts'
import type { LogGroup, LogPosition } from '#log/log.ts'
import { readGroups } from '#log/readGroups.ts'
import { openCountSums } from './countSums.ts'
import { openRecordFold } from './foldRecords.ts'
import { decodeRecord } from './journalRecords.ts'

/** Folds the log up to `to`, then writes the units of `batch`. */
export type StoreAsk = { to: LogPosition; batch?: WriteBatch }
/** `skipped`: records that could not be applied, and why. `unfolded`: the disk refused the fold, and why. */
export type StoreReply = { results: UnitResult[]; folded: LogPosition; skipped: string[]; unfolded?: string }

/** Rows of one commit. A fold of this size takes some 50 ms, for which other writes wait. */
const rowsPerCommit = 10_000
/** The WAL is copied into the file when it has this many pages (16 MB): most pages are then written once. */
const checkpointPages = 4_000

const isBefore = (one: LogPosition, other: LogPosition) =>
  one.segment < other.segment || (one.segment === other.segment && one.offset < other.offset)

function readWatermark(db: DatabaseSync): LogPosition {
  const { segment, offset } = db.prepare('SELECT segment, offset FROM fold').get()!
  return { segment: Number(segment), offset: Number(offset) }
}

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** The writes of the store, in its thread: the log is folded into rows, and what is not in the log is written directly. */
export function openStoreWrites({ path, folder }: { path: string; folder: string }): Program<StoreAsk, StoreReply> {
  const db = openDatabase(path, { checkpointPages })
  migrate(db, new URL('../migrations/', import.meta.url))
  keepTemporaryDataInMemory(db)
  const disk = openDisk(folder)
  const counts = openCountSums(db)
  const fold = openRecordFold(db, counts)
  const saveWatermark = db.prepare('UPDATE fold SET segment = ?, offset = ?')
  let folded: LogPosition = { segment: 0, offset: 0 }
  let skipped: string[] = []

  /** Runs `work` in a transaction with the fold. What it collected is written with it, or forgotten. */
  function inTransaction<Result>(work: () => Result): Result {
    try {
      return transact(db, () => {
        const result = work()
        fold.end()
        return result
      })
    } catch (error) {
      fold.reset()
      throw error
    }
  }
  const writeUnits = unitWriter(db, (statement) => fold.run([statement]), inTransaction)

  /** Applies a record. One that cannot be applied is told and skipped, so that it does not stop those behind it. */
  function applyAlone({ kind, body, place }: LogGroup['records'][number]): void {
    if (!body) return
    db.exec('SAVEPOINT record')
    try {
      fold.apply(decodeRecord(kind, body))
      fold.end()
    } catch (error) {
      if (isDiskError(error) || !db.isTransaction) throw error
      fold.reset()
      db.exec('ROLLBACK TO record')
      skipped.push(`segment ${place.segment}, offset ${place.offset}: ${textOf(error)}`)
    }
    db.exec('RELEASE record')
  }
  const applyTogether = ({ kind, body }: LogGroup['records'][number]) => {
    if (body) fold.apply(decodeRecord(kind, body))
  }
  /** Folds groups in one commit. Returns the position after them; undefined if there was none. */
  const foldSlice = (groups: Iterator<LogGroup>, apply: typeof applyAlone): LogPosition | undefined =>
    inTransaction(() => {
      let reached: LogPosition | undefined
      while (fold.rows() < rowsPerCommit) {
        const { value: group, done } = groups.next()
        if (done) break
        for (const record of group.records) apply(record)
        reached = group.end
      }
      if (reached) saveWatermark.run(reached.segment, reached.offset)
      return reached
    })
  function foldAll(to: LogPosition | undefined, apply: typeof applyAlone): void {
    const groups = groupsOf(readGroups(disk, folded, to))
    for (let next = foldSlice(groups, apply); next; next = foldSlice(groups, apply)) folded = next
  }
  /** The groups that can be read. What is damaged is told. */
  function* groupsOf(read: ReturnType<typeof readGroups>): Generator<LogGroup, undefined> {
    for (const each of read)
      if ('records' in each) yield each
      else skipped.push(`segment ${each.segment}, from ${each.offset}: damaged`)
  }
  function foldTo(to?: LogPosition): void {
    folded = readWatermark(db)
    if (to && !isBefore(folded, to)) return
    try {
      foldAll(to, applyTogether)
    } catch (error) {
      if (isDiskError(error)) throw error
      foldAll(to, applyAlone)
    }
  }
  // A restored directory has no log yet: the next one begins with its first segment.
  if (disk.list().length === 0) saveWatermark.run(0, 0)
  foldTo()
  return {
    answer({ to, batch }) {
      const unfolded = failureOf(() => foldTo(to))
      const results = batch ? writeUnits(batch) : []
      const told = skipped
      skipped = []
      return { results, folded, skipped: told, ...(unfolded !== undefined && { unfolded }) }
    },
    close: () => db.close(),
  }
}

/** Why the work failed; undefined if it did not. */
function failureOf(work: () => void): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return textOf(error)
  }
}
