import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { migrate } from '#kit/migrate.ts'
import { dataUrl } from '#kit/ownFiles.ts'
import { keepTemporaryDataInMemory, openDatabase, transact } from '#kit/sqlite.ts'
import type { Program } from '#kit/thread.ts'
import { isDiskError, type UnitResult, unitWriter, type WriteBatch } from '#kit/writeBatch.ts'
import { type Disk, openDisk } from '#log/disk.ts'
import type { LogGroup, LogPosition } from '#log/log.ts'
import { readGroups } from '#log/readGroups.ts'
import { openCountSums } from './countSums.ts'
import { RecordFold } from './foldRecords.ts'
import { decodeRecord } from './journalRecords.ts'
import { openUnusedBytes } from './unusedBytes.ts'

/**
 * What to do, in this order. `to`: folds the log up to this place. `batch`: writes these units. `purge`: removes deleted
 * data from SQLite's write-ahead log and from some pages of its file; this is the number of the first page.
 */
export type StoreAsk = { to?: LogPosition; batch?: WriteBatch; purge?: number }
/**
 * `skipped`: records that could not be applied, and why. `unfolded`: why the disk refused the fold. `purge`: the page
 * to continue at.
 */
export type StoreReply = {
  results: UnitResult[]
  folded: LogPosition
  skipped: string[]
  unfolded?: string
  purge?: number
}

/**
 * Rows per commit: at full speed, those of five seconds. A commit writes each changed page once, and the deliveries in flight
 * at its end are written again by the next one. Other writes wait for all commits of a fold.
 */
const rowsPerCommit = 50_000
/** The WAL is copied into the file at this many pages (16 MB), so that most pages are written once. */
const checkpointPages = 4_000

const isBefore = (one: LogPosition, other: LogPosition) =>
  one.segment < other.segment || (one.segment === other.segment && one.offset < other.offset)

function readWatermark(db: DatabaseSync): LogPosition {
  const { segment, offset } = db.prepare('SELECT segment, offset FROM fold').get()!
  return { segment: Number(segment), offset: Number(offset) }
}

type GroupRecord = LogGroup['records'][number]

const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Folds the log into rows. */
class LogFold {
  readonly #db: DatabaseSync
  readonly #disk: Disk
  readonly #fold: RecordFold
  readonly #saveWatermark: StatementSync
  #folded: LogPosition = { segment: 0, offset: 0 }
  #skipped: string[] = []

  constructor(db: DatabaseSync, disk: Disk, fold: RecordFold) {
    this.#db = db
    this.#disk = disk
    this.#fold = fold
    this.#saveWatermark = db.prepare('UPDATE fold SET segment = ?, offset = ?')
    // A restored directory has no log yet, so the next log starts with the first segment.
    if (disk.list().length === 0) this.#saveWatermark.run(0, 0)
  }
  folded(): LogPosition {
    return this.#folded
  }
  takeSkipped(): string[] {
    return this.#skipped.splice(0)
  }
  /** Runs `work` in a transaction. The collected rows are written with it, or discarded. */
  inTransaction<Result>(work: () => Result): Result {
    try {
      return transact(this.#db, () => {
        const result = work()
        this.#fold.end()
        return result
      })
    } catch (error) {
      this.#fold.reset()
      throw error
    }
  }
  /** Folds the log up to a position, by default all of it. Throws if the disk refuses a write. */
  foldTo(to?: LogPosition): void {
    this.#folded = readWatermark(this.#db)
    if (to && !isBefore(this.#folded, to)) return
    try {
      this.#foldAll(to, ({ kind, body }) => body && this.#fold.apply(decodeRecord(kind, body)))
    } catch (error) {
      if (isDiskError(error)) throw error
      this.#foldAll(to, (record) => this.#applyAlone(record))
    }
  }
  #foldAll(to: LogPosition | undefined, apply: (record: GroupRecord) => void): void {
    const groups = this.#groupsOf(readGroups(this.#disk, this.#folded, to))
    for (let next = this.#foldSlice(groups, apply); next; next = this.#foldSlice(groups, apply)) this.#folded = next
  }
  /** Folds groups in one commit. Returns the position after them; undefined if there was none. */
  #foldSlice(groups: Iterator<LogGroup>, apply: (record: GroupRecord) => void): LogPosition | undefined {
    return this.inTransaction(() => {
      let reached: LogPosition | undefined
      while (this.#fold.rows() < rowsPerCommit) {
        const { value: group, done } = groups.next()
        if (done) break
        for (const record of group.records) apply(record)
        reached = group.end
      }
      if (reached) this.#saveWatermark.run(reached.segment, reached.offset)
      return reached
    })
  }
  /** Applies a record. If that fails, the record is reported and skipped, so that it does not block later ones. */
  #applyAlone({ kind, body, place }: GroupRecord): void {
    if (!body) return
    this.#db.exec('SAVEPOINT record')
    try {
      this.#fold.apply(decodeRecord(kind, body))
      this.#fold.end()
    } catch (error) {
      if (isDiskError(error) || !this.#db.isTransaction) throw error
      this.#fold.reset()
      this.#db.exec('ROLLBACK TO record')
      this.#skipped.push(`segment ${place.segment}, offset ${place.offset}: ${textOf(error)}`)
    }
    this.#db.exec('RELEASE record')
  }
  /** The readable groups. Damaged ones are reported. */
  *#groupsOf(read: ReturnType<typeof readGroups>): Generator<LogGroup, undefined> {
    for (const each of read)
      if ('records' in each) yield each
      else this.#skipped.push(`segment ${each.segment}, from ${each.offset}: damaged`)
  }
}

/**
 * Writes the store: turns the records of the log into rows, and writes everything else directly. `foldsNow`: turns
 * all of them into rows when it opens; nothing may be appended meanwhile.
 */
export function openStoreWrites(
  { path, folder }: { path: string; folder: string },
  { foldsNow }: { foldsNow: boolean } = { foldsNow: true },
): Program<StoreAsk, StoreReply> {
  const db = openDatabase(path, { checkpointPages })
  migrate(db, dataUrl('store/sql/migrations/'), dataUrl('store/sqlite/migrations/'))
  keepTemporaryDataInMemory(db)
  const fold = new RecordFold(db, openCountSums(db))
  const log = new LogFold(db, openDisk(folder), fold)
  const unused = openUnusedBytes(db, path)
  const writeUnits = unitWriter(
    db,
    (statement) => fold.run([statement]),
    (work) => log.inTransaction(work),
  )
  if (foldsNow) log.foldTo()
  return {
    answer({ to, batch, purge }) {
      const unfolded = to && failureOf(() => log.foldTo(to))
      const results = batch ? writeUnits(batch) : []
      const next = purge === undefined || unfolded !== undefined ? undefined : unused.overwrite(purge)
      const more = { ...(unfolded !== undefined && { unfolded }), ...(next !== undefined && { purge: next }) }
      return { results, folded: log.folded(), skipped: log.takeSkipped(), ...more }
    },
    close() {
      db.close()
      unused.close()
    },
  }
}

/** Returns why the work failed; undefined if it succeeded. */
function failureOf(work: () => void): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return textOf(error)
  }
}
