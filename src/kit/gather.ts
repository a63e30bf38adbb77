/** A unit of work that waits for its answer. */
export type Waiting<Unit, Answer> = { unit: Unit; resolve(answer: Answer): void; reject(why: unknown): void }

/** Units that come while a group is worked on make up the next group. */
export type Gathering<Unit, Answer> = {
  add(unit: Unit): Promise<Answer>
  /** Refuses what comes from now on, and resolves when everything that came before has been answered. */
  close(): Promise<void>
}

/**
 * `work` gets one group at a time and answers each of its units; when it throws, all that it has not answered reject.
 * A group ends early where `weigh` of its units would come above `limit`.
 */
export function gather<Unit, Answer>(
  work: (group: readonly Waiting<Unit, Answer>[]) => Promise<void>,
  { limit, weigh }: { limit: number; weigh(unit: Unit): number },
): Gathering<Unit, Answer> {
  const waiting: Waiting<Unit, Answer>[] = []
  let running: Promise<void> | undefined
  let closed = false

  const next = () => {
    let weight = 0
    const over = waiting.findIndex(({ unit }) => {
      weight += weigh(unit)
      return weight > limit
    })
    return waiting.splice(0, over === -1 ? waiting.length : Math.max(over, 1))
  }
  const run = async () => {
    // What is asked for in the same turn of the event loop goes into one group.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const group = next()
      await work(group).catch((error) => {
        for (const each of group) each.reject(error)
      })
    }
    running = undefined
  }
  return {
    add: (unit) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Error('closed: nothing is written any more'))
        waiting.push({ unit, resolve, reject })
        running ??= run()
      }),
    async close() {
      closed = true
      await running
    },
  }
}
