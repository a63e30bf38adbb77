import type { MatchSource } from '#contract/matchSources.ts'

/**
 * The number of delivered events of a channel in the hour of `at` (epoch ms). `what` is counted: `events`, `strong`
 * (with a strong key), `key <vendorKey>` (with the key), `faulty <vendorKey>` (the key is given and wrong), `finding
 * <code>`, `checked <what>` (with the checked part), `shared <what>`. `example`: the place of one of the events. No
 * value is stored.
 */
export type MatchCount = {
  tagId: string
  scriptId: string
  at: number
  eventName: string
  source: MatchSource
  what: string
  count: number
  example?: { position: number; index: number }
}

/** Requests the counts in a time range (epoch ms) of full hours. `step`: also by hour or day. */
export type MatchRequest = { from: number; to: number; scriptId?: string; eventName?: string; step?: 'hour' | 'day' }

export type MatchSum = Pick<MatchCount, 'scriptId' | 'eventName' | 'source' | 'what' | 'count'>
export type MatchStep = Pick<MatchCount, 'scriptId' | 'at' | 'what' | 'count'>
export type MatchExample = Pick<MatchCount, 'scriptId' | 'what'> & { position: number; index: number }
export type MatchRecord = { sums: MatchSum[]; steps: MatchStep[]; examples: MatchExample[] }

export const hourMinutes = 60
const dayMinutes = 24 * hourMinutes

/**
 * The minutes of each slice of a time range. Slices keep statements short, because a thread can only be stopped between
 * statements.
 */
export function* matchSlices([start, end]: readonly [number, number]): Generator<readonly [number, number]> {
  for (let minute = start; minute < end; minute += dayMinutes) yield [minute, Math.min(end, minute + dayMinutes)]
}

/** The minutes of a step; without a series, a slice is one step. */
export const minutesOfMatchStep = ({ step }: MatchRequest): number => (step === 'hour' ? hourMinutes : dayMinutes)

type SliceRow = MatchSum & { at: number }

/** The rows of a series: for all channels, the rows of the coverage; for one channel, also each key. */
const isOfSeries = ({ scriptId }: MatchRequest, what: string): boolean =>
  what === 'events' || what === 'strong' || (scriptId !== undefined && what.startsWith('key '))

/** Sums up slices as they are read. */
export function createMatchSums(request: MatchRequest) {
  const sums = new Map<string, MatchSum>()
  const steps = new Map<string, MatchStep>()
  function add<Row extends { count: number }>(rows: Map<string, Row>, key: string, row: Row): void {
    const known = rows.get(key)
    if (known) known.count += row.count
    else rows.set(key, row)
  }
  return {
    add(rows: Iterable<SliceRow>): void {
      for (const { at, ...row } of rows) {
        if (request.eventName !== undefined && row.eventName !== request.eventName) continue
        const { scriptId, eventName, source, what, count } = row
        add(sums, `${scriptId} ${source} ${eventName} ${what}`, row)
        if (request.step && isOfSeries(request, what))
          add(steps, `${scriptId} ${at} ${what}`, { scriptId, at, what, count })
      }
    },
    result: (examples: MatchExample[]): MatchRecord => ({
      sums: [...sums.values()],
      steps: [...steps.values()].sort((one, other) => one.at - other.at),
      examples,
    }),
  }
}
