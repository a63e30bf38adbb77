import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { RefusedCalls } from '#store/deliveryQueries.ts'
import { writePeriodically } from '#store/periodicWrite.ts'
import type { Store } from '#store/store.ts'

/** Counts calls that a rate limit refused, and writes the counts every 5 seconds. */
type RefusedCallsCounter = {
  add(tagId: string, of: RefusedCalls['of']): void
  /**
   * Writes the counts since the last flush. Resolves when they are on disk, or when the write failed and they are kept
   * for the next flush.
   */
  flush(): Promise<void>
}

type RefusedCallsDeps = { clock: Clock; store: Pick<Store, 'write'>; log: Log }

const minuteMs = 60_000
const flushMs = 5_000
/** The maximum number of rows (tag, limit, minute) in memory while writes fail. Further calls are not counted. */
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

  const flush = writePeriodically(
    { clock, store, log },
    {
      kind: 'refusedCalls',
      label: 'the counts of refused calls',
      everyMs: flushMs,
      take() {
        const counted = [...rows.values()]
        rows = new Map()
        return counted.length === 0 ? undefined : { add: 'refusedCalls', rows: counted }
      },
      restore(unwritten) {
        for (const { tagId, of, at, calls } of unwritten.rows) add(tagId, of, at, calls)
      },
    },
    signal,
  )
  return { add: (tagId, of) => add(tagId, of), flush }
}
