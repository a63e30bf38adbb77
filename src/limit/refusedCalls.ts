import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { RefusedCalls } from '#store/deliveryQueries.ts'
import { type Store, type StoreChange, unwrittenOf } from '#store/store.ts'

/** Counts the calls that were refused by a rate limit, and writes the counts every 5 seconds. */
export type RefusedCallsCounter = {
  add(tagId: string, of: RefusedCalls['of']): void
  /**
   * Writes the counts since the last flush. Resolves when they are on disk, or when the write failed and they are kept.
   */
  flush(): Promise<void>
}

export type RefusedCallsDeps = { clock: Clock; store: Pick<Store, 'write'>; log: Log }

const minuteMs = 60_000
const flushMs = 5_000
/** The maximum number of rows (tag, limit, minute) while writes fail. Further calls are not counted. */
const maxRows = 100_000

export function openRefusedCallsCounter(
  { clock, store, log }: RefusedCallsDeps,
  signal: AbortSignal,
): RefusedCallsCounter {
  let rows = new Map<string, RefusedCalls>()

  function add(tagId: string, of: RefusedCalls['of'], at = clock.now(), calls = 1): void {
    const minute = Math.floor(at / minuteMs) * minuteMs
    const name = `${tagId} ${of} ${minute}`
    const row = rows.get(name)
    if (row) row.calls += calls
    else if (rows.size < maxRows) rows.set(name, { tagId, at: minute, of, calls })
  }

  async function flush(): Promise<void> {
    if (rows.size === 0) return
    const counted = [...rows.values()]
    rows = new Map()
    const changes: StoreChange[] = [{ add: 'refusedCalls', rows: counted }]
    try {
      await store.write(changes)
    } catch (error) {
      log({
        level: 'error',
        message: 'could not write the counts of refused calls; they are written with the next flush',
        error,
      })
      for (const each of unwrittenOf(error, changes))
        if ('add' in each && each.add === 'refusedCalls')
          for (const { tagId, of, at, calls } of each.rows) add(tagId, of, at, calls)
    }
  }

  async function flushPeriodically(): Promise<void> {
    while (!signal.aborted) {
      await clock.wait(flushMs, signal)
      await flush()
    }
  }
  void flushPeriodically()
  return { add: (tagId, of) => add(tagId, of), flush }
}
