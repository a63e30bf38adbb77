import { mkdirSync } from 'node:fs'
import { processLog } from '#kit/log.ts'
import { startThread } from '#kit/thread.ts'
import { createWriter, DiskProblem, type Writer } from '#kit/writer.ts'
import { type LogPosition, LogUnwritable } from '#log/log.ts'
import { openLogIn } from '#log/openLog.ts'
import { encodeRecord, type JournalRecord } from './journalRecords.ts'
import type { StoreAsk, StoreReply } from './storeWrites.ts'
import { openUnfolded, type Unfolded } from './unfolded.ts'

/**
 * Writes of the store. What happens to events goes into a log first, where it is safe after one write; its rows follow in
 * bulk. Everything else is written directly, after the rows of what was recorded before.
 */
export type JournalWriter = Writer & {
  /**
   * Resolves when the record is in the log; `folded` resolves when it has its rows. Throws DiskProblem: then it is not in
   * the log, and never will be.
   */
  record(record: JournalRecord): Promise<{ folded: Promise<void> }>
  /** Resolves when everything that was recorded before the call has its rows. Throws DiskProblem. */
  fold(): Promise<void>
  /** What has no rows yet. */
  unfolded: Pick<Unfolded, 'hasScript' | 'hasRetry' | 'hasHold'>
}

/** A fold is due after this time, or with this much to write. */
const foldAfterMs = 5_000
const foldBytes = 8 * 1024 * 1024
/** Records wait for the fold when it is this far behind. */
const maxUnfoldedBytes = 64 * 1024 * 1024
/** A longer segment is ended once it is folded, so that it can be deleted. */
const segmentBytes = 16 * 1024 * 1024

/** The folder of the log of a store: `store.log` beside `store.db`. */
export const logFolderOf = (path: string): string => `${path.replace(/\.db$/, '')}.log`

/** Opens the store's file and its log. What an earlier process left is folded first. */
export async function openJournalWriter(path: string, folder: string): Promise<JournalWriter> {
  mkdirSync(folder, { recursive: true })
  const program = new URL('./store.thread.ts', import.meta.url)
  const thread = await startThread<StoreAsk, StoreReply>(program, { path, folder }, 'endProcess')
  const log = openLogIn(folder, { segmentBytes })
  const unfolded = openUnfolded()
  let appended: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let latest: Promise<StoreReply> | undefined
  let queued: Promise<void> | undefined

  async function cleanUp({ segment }: LogPosition): Promise<void> {
    const segments = log.segments()
    const current = segments.at(-1)
    if (current && current.bytes > segmentBytes / 2 && unfolded.bytes() === 0) log.beginSegment()
    const old = segments.filter(({ number }) => number < segment).map(({ number }) => number)
    if (old.length > 0) await log.deleteSegments(old)
  }
  /** Asks the thread, which folds first what was recorded before. */
  async function ask(batch?: StoreAsk['batch']): Promise<StoreReply> {
    await appended
    clearTimeout(timer)
    timer = undefined
    const taken = unfolded.take()
    const asked = thread.ask({ to: log.end(), ...(batch && { batch }) })
    latest = asked
    try {
      const reply = await asked
      if (reply.unfolded === undefined) taken.done()
      else taken.giveBack()
      for (const why of reply.skipped)
        processLog({ level: 'error', message: 'a record was skipped', path: folder, why })
      await cleanUp(reply.folded)
      return reply
    } catch (error) {
      taken.giveBack()
      throw error
    }
  }
  const failOf = ({ unfolded: why }: StoreReply) => {
    if (why !== undefined) throw new DiskProblem(`the journal could not be written to ${path}: ${why}`)
  }
  /** A fold that has begun does not see later records: whoever calls meanwhile shares the next one. */
  function fold(): Promise<void> {
    if (!unfolded.hasAny()) return latest ? latest.then(failOf) : Promise.resolve()
    queued ??= Promise.resolve(latest)
      .catch(() => {})
      .then(() => {
        queued = undefined
        return ask()
      })
      .then(failOf)
    return queued
  }
  function schedule(): void {
    if (unfolded.bytes() >= foldBytes) void fold().catch(() => {})
    else timer ??= setTimeout(() => void fold().catch(() => {}), foldAfterMs).unref()
  }
  const writer = createWriter(path, {
    ask: async (batch) => (await ask(batch)).results,
    async close() {
      await fold().catch(() => {})
      clearTimeout(timer)
      await log.close()
      await thread.close()
    },
  })
  return {
    ...writer,
    unfolded,
    fold,
    async record(record) {
      const encoded = encodeRecord(record)
      while (unfolded.bytes() > maxUnfoldedBytes) await fold()
      unfolded.add(record, encoded.body.length)
      const folded = unfolded.nextDone()
      const appending = log.append([encoded])
      appended = appending.catch(() => {}) // those before it end before it
      await appending.catch((error) => {
        throw error instanceof LogUnwritable ? new DiskProblem(error.message, { cause: error }) : error
      })
      schedule()
      return { folded }
    },
  }
}
