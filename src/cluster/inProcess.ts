import { keyedMutex } from '#kit/keyedMutex.ts'
import type { Cluster, SlotOwnership } from './cluster.ts'
import { allSlots } from './slotOf.ts'

/** One process owns every slot, and holds every lease. */
export const wholeOwnership: SlotOwnership = {
  memberId: 'only',
  slots: () => allSlots,
  owns: () => true,
  mayStart: () => true,
  reportLost() {},
}

/** The cluster of one process. The code that makes a change also applies it. */
export function openInProcessCluster(): Cluster {
  const withLock = keyedMutex()
  return {
    members: { count: () => 1, silentMs: () => 0 },
    leases: { holds: async () => true, exclusive: withLock },
    changes: { follow() {}, acknowledged: async () => {} },
    async startWorker(start) {
      const worker = await start(wholeOwnership)
      // Not awaited: the process serves requests while its deliveries in flight are recovered.
      void worker.gained(allSlots).then(() => worker.changed(allSlots))
      return { stop: worker.stop }
    },
    close: async () => {},
  }
}
