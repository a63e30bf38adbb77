import { setTimeout as wait } from 'node:timers/promises'
import { processLog } from '#kit/log.ts'
import { programUrl } from '#kit/ownFiles.ts'
import { type RestingThread, startRestingThread } from '#kit/restingThread.ts'
import type { UnitResult, WriteBatch, WriteUnit } from '#kit/writeBatch.ts'
import { createWriter, DiskProblem, type Writer } from '#kit/writer.ts'
import { type LogPosition, LogUnwritable, type SegmentLog } from '#log/log.ts'
import { openLogIn } from '#log/openLog.ts'
import { encodeRecord, type JournalRecord } from './journalRecords.ts'
import type { StoreAsk, StoreReply } from './storeWrites.ts'
import { openUnfolded, type Unfolded } from './unfolded.ts'

/**
 * Writes of the store. Changes of events first go into a log, where one write makes them durable; their rows follow in
 * bulk. All other writes go directly to the rows. Only counts do not wait for the rows of earlier records.
 */
export type JournalWriter = Writer & {
  /**
   * Resolves when the record is in the log; `folded` resolves when its rows are written. Throws DiskProblem: then the
   * record is not in the log, and never will be.
   */
  record(record: JournalRecord): Promise<{ folded: Promise<void> }>
  /** Resolves when the rows of all records before the call are written. Throws DiskProblem. */
  fold(): Promise<void>
  /** Like `write`, but does not wait for the rows of earlier records. Only for rows that no record of the log changes. */
  writeCounts(unit: WriteUnit): Promise<void>
  /** Removes deleted rows and their records from the files: the log, the database and its write-ahead log. */
  purge(): Promise<void>
  /** Records that have no rows yet. */
  unfolded: Pick<Unfolded, 'hasScript' | 'hasUser' | 'hasRetry' | 'hasHold'>
}

/** A fold is due after this time, or with this many bytes. */
export const foldAfterMs = 5_000
const foldBytes = 8 * 1024 * 1024
/** New records wait while the fold is this far behind. */
const maxUnfoldedBytes = 64 * 1024 * 1024
/** A segment above this size is closed once it is folded, so that it can be deleted. */
const segmentBytes = 16 * 1024 * 1024

/** The pause after each turn of a purge, for other writers; and the time for running queries to end. */
const purgeRestMs = 2
const purgeWaitMs = 50
const mostPurgeWaits = 1_200

/** The log of a store, and the thread that folds it. */
class FoldedLog {
  readonly unfolded = openUnfolded()
  readonly #path: string
  readonly #log: SegmentLog
  readonly #thread: RestingThread<StoreAsk, StoreReply>
  #appended: Promise<unknown> = Promise.resolve()
  #latest: Promise<StoreReply> | undefined
  #queued: Promise<void> | undefined
  /** The current or last purge pass, and the next one. */
  #pass: Promise<void> = Promise.resolve()
  #nextPass: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(path: string, log: SegmentLog, thread: RestingThread<StoreAsk, StoreReply>) {
    this.#path = path
    this.#log = log
    this.#thread = thread
  }
  async record(record: JournalRecord): Promise<{ folded: Promise<void> }> {
    const encoded = encodeRecord(record)
    while (this.unfolded.bytes() > maxUnfoldedBytes) await this.fold()
    this.unfolded.add(record, encoded.body.length)
    const folded = this.unfolded.nextDone()
    const appending = this.#log.append([encoded])
    this.#appended = appending.catch(() => {}) // earlier appends end first
    await appending.catch((error) => {
      throw error instanceof LogUnwritable ? new DiskProblem(error.message, { cause: error }) : error
    })
    this.#schedule()
    return { folded }
  }
  /** Asks the thread, which folds all earlier records first. */
  async ask({ batch, purge }: Omit<StoreAsk, 'to'> = {}): Promise<StoreReply> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // Records that are taken here are in the log before the thread is asked. Later ones wait for the next fold.
    const taken = this.unfolded.take()
    const asked = this.#appended.then(() =>
      this.#thread.ask({ to: this.#log.end(), ...(batch && { batch }), ...(purge !== undefined && { purge }) }),
    )
    this.#latest = asked
    try {
      const reply = await asked
      if (reply.unfolded === undefined) taken.done()
      else taken.giveBack()
      for (const why of reply.skipped)
        processLog({ level: 'error', message: 'a record of the journal was skipped', path: this.#path, why })
      await this.#deleteFolded(reply.folded)
      return reply
    } catch (error) {
      taken.giveBack()
      throw error
    }
  }
  /** Writes units without folding earlier records. */
  async write(batch: WriteBatch): Promise<UnitResult[]> {
    return (await this.#thread.ask({ batch })).results
  }
  /** Writes the rows of records that an earlier process left in the log. Throws DiskProblem. */
  async foldEarlier(): Promise<void> {
    try {
      this.#check(await this.ask())
    } catch (error) {
      await this.close()
      throw error
    }
  }
  /** A running fold does not include later records, so calls made meanwhile share the next one. */
  fold(): Promise<void> {
    const check = (reply: StoreReply) => this.#check(reply)
    if (!this.unfolded.hasAny()) return this.#latest ? this.#latest.then(check) : Promise.resolve()
    this.#queued ??= Promise.resolve(this.#latest)
      .catch(() => {})
      .then(() => {
        this.#queued = undefined
        return this.ask()
      })
      .then(check)
    return this.#queued
  }
  /** A running pass may be past the pages of newly deleted rows, so calls made meanwhile share the next one. */
  purge(): Promise<void> {
    this.#nextPass ??= this.#pass.then(() => {
      this.#nextPass = undefined
      const pass = this.#purgeFiles()
      this.#pass = pass.catch(() => {})
      return pass
    })
    return this.#nextPass
  }
  /** An empty record starts a new segment, so that earlier ones are deleted as soon as they are folded. */
  async #purgeFiles(): Promise<void> {
    this.#log.beginSegment()
    await this.record({ begin: [] })
    let waits = 0
    for (let page: number | undefined = 1; page !== undefined; ) {
      const { purge: next }: StoreReply = await this.ask({ purge: page })
      const isRead = next === page
      if (isRead && ++waits > mostPurgeWaits) throw new DiskProblem(`a query reads ${this.#path} for too long`)
      await wait(isRead ? purgeWaitMs : purgeRestMs)
      page = next
    }
  }
  async close(): Promise<void> {
    await this.fold().catch(() => {})
    clearTimeout(this.#timer)
    await this.#log.close()
    await this.#thread.close()
  }
  #check({ unfolded: why }: StoreReply): void {
    if (why !== undefined) throw new DiskProblem(`the journal could not be written to ${this.#path}: ${why}`)
  }
  #schedule(): void {
    const foldLater = () => void this.fold().catch(() => {}) // readers ask again
    if (this.unfolded.bytes() >= foldBytes) foldLater()
    else this.#timer ??= setTimeout(foldLater, foldAfterMs).unref()
  }
  async #deleteFolded({ segment }: LogPosition): Promise<void> {
    const segments = this.#log.segments()
    const current = segments.at(-1)
    if (current && current.bytes > segmentBytes / 2 && this.unfolded.bytes() === 0) this.#log.beginSegment()
    await this.#log.deleteSegments(segments.map(({ number }) => number).filter((number) => number < segment))
  }
}

/**
 * Opens the store's file and its log. First folds what an earlier process left. `pauseMs`: between two groups of the
 * log.
 */
export async function openJournalWriter(path: string, folder: string, pauseMs: number): Promise<JournalWriter> {
  const program = programUrl('store/sqlite/fold/store.thread.ts')
  const thread = await startRestingThread<StoreAsk, StoreReply>(program, { path, folder })
  const log = new FoldedLog(path, openLogIn(folder, { segmentBytes, pauseMs }), thread)
  await log.foldEarlier()
  const writer = createWriter(path, {
    ask: async (batch) => (await log.ask({ batch })).results,
    close: () => log.close(),
  })
  const counts = createWriter(path, { ask: (batch) => log.write(batch), close: async () => {} })
  return {
    ...writer,
    writeCounts: counts.write,
    async close() {
      await counts.close()
      await writer.close()
    },
    unfolded: log.unfolded,
    fold: () => log.fold(),
    purge: () => log.purge(),
    record: (record) => log.record(record),
  }
}
