/** A unit of work with the callbacks of its promise. */
export type PendingItem<Unit, Answer> = { unit: Unit; resolve(answer: Answer): void; reject(why: unknown): void }

/** Units that are added while a group is processed form the next group (group commit). */
export type Batcher<Unit, Answer> = {
  add(unit: Unit): Promise<Answer>
  /** Rejects later units, and resolves when all earlier ones are done. */
  close(): Promise<void>
}

/**
 * `work` gets one group at a time and resolves each of its units. When it throws, the unresolved units of the group
 * reject. The total weight of a group is at most `limit`; a unit that is heavier makes a group of its own.
 */
export function createBatcher<Unit, Answer>(
  work: (group: readonly PendingItem<Unit, Answer>[]) => Promise<void>,
  { limit, weigh }: { limit: number; weigh(unit: Unit): number },
): Batcher<Unit, Answer> {
  const waiting: PendingItem<Unit, Answer>[] = []
  let running: Promise<void> | undefined
  let closed = false

  const next = () => {
    let count = 0
    for (let weight = 0; count < waiting.length; count++) {
      weight += weigh(waiting[count]!.unit)
      if (weight > limit) break
    }
    return waiting.splice(0, Math.max(count, 1))
  }
  const run = async () => {
    // Units that are added in the same turn of the event loop form one group.
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
        if (closed) return reject(new Error('the batcher is closed'))
        waiting.push({ unit, resolve, reject })
        running ??= run()
      }),
    async close() {
      closed = true
      await running
    },
  }
}
