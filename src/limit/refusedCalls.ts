import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { RefusedCalls } from '#store/found.ts'
import type { Store } from '#store/store.ts'

/** Counts the calls that were refused because a tag or its team was above its rate, and writes the counts every few seconds. */
export type RefusedCallsCount = {
  add(tagId: string, of: RefusedCalls['of']): void
  /** Writes what was counted since the last time. Resolves when it is on disk, or could not be written and is kept. */
  flush(): Promise<void>
}

export type RefusedCallsDeps = { clock: Clock; store: Pick<Store, 'write'>; log: Log }

const minuteMs = 60_000
const flushMs = 5_000
/** So many rows are kept while the disk takes nothing: one a tag and minute. What comes then is not counted. */
const mostRows = 100_000

export function countRefusedCalls({ clock, store, log }: RefusedCallsDeps, signal: AbortSignal): RefusedCallsCount {
  let rows = new Map<string, RefusedCalls>()

  function add(tagId: string, of: RefusedCalls['of'], at = clock.now(), calls = 1): void {
    const minute = Math.floor(at / minuteMs) * minuteMs
    const name = `${tagId} ${of} ${minute}`
    const row = rows.get(name)
    if (row) row.calls += calls
    else if (rows.size < mostRows) rows.set(name, { tagId, at: minute, of, calls })
  }

  async function flush(): Promise<void> {
    if (rows.size === 0) return
    const counted = [...rows.values()]
    rows = new Map()
    try {
      await store.write([{ add: 'refusedCalls', rows: counted }])
    } catch (error) {
      log({ level: 'error', message: 'could not write how many calls were refused', error })
      for (const { tagId, of, at, calls } of counted) add(tagId, of, at, calls)
    }
  }

  async function flushAgainAndAgain(): Promise<void> {
    while (!signal.aborted) {
      await clock.wait(flushMs, signal)
      await flush()
    }
  }
  void flushAgainAndAgain()
  return { add: (tagId, of) => add(tagId, of), flush }
}
