import type { Meter } from '#kit/meter.ts'
import { flushSizes } from '#postgres/flushSizes.ts'
import type { Store } from '#store/store.ts'

/** Counts profiles that are written again, because another process had changed them meanwhile. */
function countConflicts(store: Store, meter: Meter): Store {
  const help = 'Profiles that another process had changed meanwhile, and were written again.'
  const conflicts = meter.counter('aglet_user_conflicts_total', help)
  const put: Store['users']['put'] = async (writes) => {
    const results = await store.users.put(writes)
    conflicts.add(results.filter((isWritten) => !isWritten).length)
    return results
  }
  return { ...store, users: { ...store.users, put } }
}

/** Measures how many events and outcomes one commit of a worker has. */
function measureFlushes(store: Store, meter: Meter): Store {
  const [events, outcomes] = [flushSizes(meter, 'events'), flushSizes(meter, 'outcomes')]
  const { journal } = store
  const plan: Store['journal']['plan'] = async (planned) => {
    await journal.plan(planned)
    events.record(planned.length)
  }
  const settle: Store['journal']['settle'] = async (ended, packs) => {
    await journal.settle(ended, packs)
    outcomes.record(ended.length)
  }
  return { ...store, journal: { ...journal, plan, settle } }
}

export const measureStore = (store: Store, meter: Meter): Store => measureFlushes(countConflicts(store, meter), meter)
