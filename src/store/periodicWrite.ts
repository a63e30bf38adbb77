import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import { logFailureOnce } from '#kit/logFailureOnce.ts'
import { type Store, type StoreChange, unwrittenOf } from './store.ts'

type PeriodicWriteDeps = { clock: Clock; store: Pick<Store, 'write'>; log: Log }

type Rows = Extract<StoreChange, { add: string }>
type Kind = Rows['add']

type PendingRows<K extends Kind> = {
  kind: K
  /** The name of the rows in log lines. */
  label: string
  everyMs: number
  /** Removes and returns the pending rows; undefined if there are none. */
  take(): Extract<Rows, { add: K }> | undefined
  /** Takes back rows that could not be written. */
  restore(rows: Extract<Rows, { add: K }>): void
}

/**
 * Writes pending rows every `everyMs` until the signal is aborted; a crash loses them. Rows that could not be written
 * are written with the next flush. Returns `flush`, which resolves when all earlier rows are on disk or restored,
 * including rows of a running write, because an erasure must find them.
 */
export function writePeriodically<K extends Kind>(
  { clock, store, log }: PeriodicWriteDeps,
  { kind, label, everyMs, take, restore }: PendingRows<K>,
  signal: AbortSignal,
): () => Promise<void> {
  const isOfKind = (change: StoreChange): change is Extract<Rows, { add: K }> => 'add' in change && change.add === kind
  const runLogged = logFailureOnce(log, {
    failed: `could not write ${label}; retrying with a later flush`,
    again: `writing ${label} works again`,
  })
  async function writePending(): Promise<void> {
    const rows = take()
    if (!rows) return
    await runLogged(async () => {
      try {
        await store.write([rows])
      } catch (error) {
        for (const unwritten of unwrittenOf(error, [rows])) if (isOfKind(unwritten)) restore(unwritten)
        throw error
      }
    })
  }

  let writing = Promise.resolve()
  const flush = (): Promise<void> => {
    writing = writing.then(writePending)
    return writing
  }

  async function flushUntilAborted(): Promise<void> {
    while (!signal.aborted) {
      await clock.wait(everyMs, signal)
      await flush()
    }
  }
  void flushUntilAborted()
  return flush
}
