/** A job that was not taken, because too many wait already. */
export class QueueFull extends Error {
  override name = 'QueueFull'
}

/** Whose turn a job takes: lanes take turns with each other, and within a lane its keys do. */
export type Turn = { lane: string; key: string }

export type FairQueue = {
  /** Runs a job when its turn has come, and gives what it gives. Rejects with QueueFull where it is not taken. */
  run<Result>(turn: Turn, job: () => Promise<Result>): Promise<Result>
}

export type FairQueueLimits = {
  /** Jobs that run at once. */
  parallel: number
  /** Jobs of a lane that may wait. */
  mostPerLane: number
  /** Jobs of a key of a lane that may wait. */
  mostPerKey: number
}

type Start = () => void
type Lane = { waiting: number; keys: Map<string, Start[]> }

/** The first entry of a map goes to its end, or out of it where nothing is left of it. */
function rotate<Value>(map: Map<string, Value>, name: string, value: Value, isLeft: boolean): void {
  map.delete(name)
  if (isLeft) map.set(name, value)
}

/**
 * A bounded queue with round robin over lanes, and over the keys of each lane: a key with many jobs delays another key of
 * its lane by one job a turn, and a lane with many keys delays another lane by one job a turn.
 */
export function fairQueue({ parallel, mostPerLane, mostPerKey }: FairQueueLimits): FairQueue {
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
    if (lane.waiting >= mostPerLane || starts.length >= mostPerKey) throw new QueueFull('Too many jobs wait.')
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
