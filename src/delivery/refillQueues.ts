import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Journal, Priority } from '#store/store.ts'
import type { Channel } from './channel.ts'
import type { Scheduler } from './scheduler.ts'

type RefillDeps = { clock: Clock; log: Log; store: { journal: Pick<Journal, 'due'> } }

/** Fetches due deliveries from the store for every channel with free queue space. */
export async function refillQueues(scheduler: Scheduler, deps: RefillDeps): Promise<void> {
  for (const channel of scheduler.channels()) {
    for (const priority of scheduler.prioritiesToRefill(channel)) await fetchDue(channel, priority, scheduler, deps)
    scheduler.refresh(channel)
  }
}

async function fetchDue(channel: Channel, priority: Priority, scheduler: Scheduler, deps: RefillDeps): Promise<void> {
  const queue = channel.queues[priority]
  const limit = channel.inMemoryIds.size + scheduler.capacity(channel, priority) // the rows may include those in memory
  const endedIds = new Set<string>()
  queue.endedDuringRead = endedIds
  queue.hasMore = false // set again if a delivery finds the queue full during the read
  try {
    const rows = await deps.store.journal.due(channel.scriptId, deps.clock.now(), limit, priority)
    for (const row of rows)
      if (!channel.inMemoryIds.has(row.deliveryId) && !endedIds.has(row.deliveryId)) scheduler.add(channel, row)
    if (rows.length === limit) queue.hasMore = true
  } catch (error) {
    queue.hasMore = true
    deps.log({ level: 'error', message: 'could not read the due deliveries', scriptId: channel.scriptId, error })
  } finally {
    queue.endedDuringRead = undefined
  }
}
