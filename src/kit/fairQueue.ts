/** Rejection of a job because too many jobs wait. */
export class QueueFull extends Error {
  override name = 'QueueFull'
}

/** The owner of a job. Lanes take turns, and so do the keys within a lane. */
export type Turn = { lane: string; key: string }

type FairQueue = {
  /** Runs a job when it is its turn, and resolves to its result. Rejects with QueueFull if too many jobs wait. */
  run<Result>(turn: Turn, job: () => Promise<Result>): Promise<Result>
}

export type FairQueueLimits = {
  /** Maximum number of running jobs: in total, for a lane, and for a key of a lane. */
  parallel: number
  parallelPerLane?: number
  parallelPerKey?: number
  /** The maximum number of waiting jobs of a lane. */
  maxPerLane: number
  /** The maximum number of waiting jobs of a key of a lane. */
  maxPerKey: number
}

type Start = () => void
type Lane = { waiting: number; keys: Map<string, Start[]> }

/** Counts running jobs, for each lane and each key of a lane, against the limits. */
function openRunning({ parallel, parallelPerLane = parallel, parallelPerKey = parallelPerLane }: FairQueueLimits) {
  const counts = new Map<string, number>()
  const keyOf = (lane: string, key: string) => JSON.stringify([lane, key])
  const countOf = (name: string) => counts.get(name) ?? 0
  let all = 0
  return {
    isFull: () => all >= parallel,
    isLaneFull: (lane: string) => countOf(lane) >= parallelPerLane,
    isKeyFull: (lane: string, key: string) => countOf(keyOf(lane, key)) >= parallelPerKey,
    add(lane: string, key: string, by: 1 | -1) {
      all += by
      for (const name of [lane, keyOf(lane, key)]) {
        if (countOf(name) + by > 0) counts.set(name, countOf(name) + by)
        else counts.delete(name)
      }
    },
  }
}

/** Moves an entry to the end of a map, or removes it. */
function rotate<Value>(map: Map<string, Value>, name: string, value: Value, isKept: boolean): void {
  map.delete(name)
  if (isKept) map.set(name, value)
}

/**
 * A bounded queue with round robin over lanes, and over the keys of each lane. A key with many jobs delays another key
 * of its lane by one job in each round, and a lane with many keys delays another lane by one job in each round. For
 * long jobs, `parallelPerLane` keeps capacity free for other lanes.
 */
export function fairQueue(limits: FairQueueLimits): FairQueue {
  const { maxPerLane, maxPerKey } = limits
  const lanes = new Map<string, Lane>()
  const running = openRunning(limits)

  function next(): Start | undefined {
    for (const [laneName, lane] of lanes) {
      if (running.isLaneFull(laneName)) continue
      for (const [keyName, starts] of lane.keys) {
        if (running.isKeyFull(laneName, keyName)) continue
        const start = starts.shift()!
        lane.waiting--
        running.add(laneName, keyName, 1)
        rotate(lane.keys, keyName, starts, starts.length > 0)
        rotate(lanes, laneName, lane, lane.waiting > 0)
        return start
      }
    }
    return undefined
  }
  function startNext(): void {
    while (!running.isFull()) {
      const start = next()
      if (!start) return
      start()
    }
  }
  function enqueue({ lane: laneName, key }: Turn, start: Start): void {
    const lane = lanes.get(laneName) ?? { waiting: 0, keys: new Map<string, Start[]>() }
    const starts = lane.keys.get(key) ?? []
    if (lane.waiting >= maxPerLane || starts.length >= maxPerKey)
      throw new QueueFull('Too many jobs are waiting. Try again later.')
    lanes.set(laneName, lane)
    lane.keys.set(key, starts)
    starts.push(start)
    lane.waiting++
  }
  return {
    async run(turn, job) {
      await new Promise<void>((resolve, reject) => {
        try {
          enqueue(turn, resolve)
          startNext()
        } catch (error) {
          reject(error)
        }
      })
      try {
        return await job()
      } finally {
        running.add(turn.lane, turn.key, -1)
        startNext()
      }
    },
  }
}
