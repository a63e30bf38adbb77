/** Rejection of a job because too many jobs wait. */
export class QueueFull extends Error {
  override name = 'QueueFull'
}

/** The owner of a job. Lanes take turns, and so do the keys within a lane. */
export type Turn = { lane: string; key: string }

export type FairQueue = {
  /** Runs a job when it is its turn, and resolves to its result. Rejects with QueueFull if too many jobs wait. */
  run<Result>(turn: Turn, job: () => Promise<Result>): Promise<Result>
}

export type FairQueueLimits = {
  /** The maximum number of jobs that run at once. */
  parallel: number
  /** The maximum number of waiting jobs of a lane. */
  maxPerLane: number
  /** The maximum number of waiting jobs of a key of a lane. */
  maxPerKey: number
}

type Start = () => void
type Lane = { waiting: number; keys: Map<string, Start[]> }

/** Moves an entry to the end of a map, or removes it. */
function rotate<Value>(map: Map<string, Value>, name: string, value: Value, isKept: boolean): void {
  map.delete(name)
  if (isKept) map.set(name, value)
}

/**
 * A bounded queue with round robin over lanes, and over the keys of each lane. A key with many jobs delays another key
 * of its lane by one job in each round, and a lane with many keys delays another lane by one job in each round.
 */
export function fairQueue({ parallel, maxPerLane, maxPerKey }: FairQueueLimits): FairQueue {
  const lanes = new Map<string, Lane>()
  let running = 0

  function next(): Start | undefined {
    for (const [laneName, lane] of lanes) {
      for (const [keyName, starts] of lane.keys) {
        const start = starts.shift()!
        lane.waiting--
        rotate(lane.keys, keyName, starts, starts.length > 0)
        rotate(lanes, laneName, lane, lane.waiting > 0)
        return start
      }
    }
    return undefined
  }
  function startNext(): void {
    while (running < parallel) {
      const start = next()
      if (!start) return
      running++
      start()
    }
  }
  function enqueue({ lane: laneName, key }: Turn, start: Start): void {
    const lane = lanes.get(laneName) ?? { waiting: 0, keys: new Map<string, Start[]>() }
    const starts = lane.keys.get(key) ?? []
    if (lane.waiting >= maxPerLane || starts.length >= maxPerKey)
      throw new QueueFull('Too many jobs wait: try again later.')
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
        running--
        startNext()
      }
    },
  }
}
