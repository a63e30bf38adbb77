import type { SlotOwnership, SlotWorker } from './cluster.ts'

/** A worker that records the calls of its cluster. */
export type NotingWorker = SlotWorker & {
  ownership: SlotOwnership
  gainedSlots: number[]
  releasedSlots: number[]
  isLost: boolean
  isStopped: boolean
  /** `release` waits for this. */
  drained: Promise<void>
}

export function notingWorkers() {
  const workers: NotingWorker[] = []
  return {
    workers,
    last: () => workers.at(-1)!,
    async start(ownership: SlotOwnership): Promise<SlotWorker> {
      const worker: NotingWorker = {
        ownership,
        gainedSlots: [],
        releasedSlots: [],
        isLost: false,
        isStopped: false,
        drained: Promise.resolve(),
        gained: async (slots) => void worker.gainedSlots.push(...slots),
        changed() {},
        async release(slots) {
          await worker.drained
          worker.releasedSlots.push(...slots)
        },
        lost() {
          worker.isLost = true
        },
        async stop() {
          worker.isStopped = true
        },
      }
      workers.push(worker)
      return worker
    },
  }
}
