import type { SlotOwnership } from '../cluster.ts'
import { slotOf } from '../slotOf.ts'
import { type ProcessMembership, startNoCallMs } from './membership.ts'

/** The slots of a worker, from its start to the end of its membership. */
export function openWorkerSlots(membership: Pick<ProcessMembership, 'id' | 'silentMs'>, reportLost: () => void) {
  const owned = new Set<number>()
  const usable = new Set<number>()
  let list: readonly number[] = []
  let isLost = false
  const ownership: SlotOwnership = {
    memberId: membership.id(),
    slots: () => list,
    owns: (tagId, slot = slotOf(tagId)) => usable.has(slot),
    mayStart: () => !isLost && membership.silentMs() < startNoCallMs,
    reportLost,
  }
  return {
    ownership,
    /** The slots that the worker owns in the database. */
    owned,
    /** The owned slots that it may not use, because they were just taken or are being released. */
    unusable: () => [...owned].filter((slot) => !usable.has(slot)),
    use(slots: Iterable<number>) {
      for (const slot of slots) usable.add(slot)
      list = [...usable]
    },
    disuse(slots: Iterable<number>) {
      for (const slot of slots) usable.delete(slot)
      list = [...usable]
    },
    isLost: () => isLost,
    markLost() {
      isLost = true
      usable.clear()
      list = []
    },
  }
}

export type WorkerSlots = ReturnType<typeof openWorkerSlots>
