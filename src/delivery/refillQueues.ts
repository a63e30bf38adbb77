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
  const { queues } = channel
  const limit = queues.inMemory() + scheduler.capacity(channel, priority) // the rows may include those in memory
  const read = queues.read(priority)
  try {
    const rows = await deps.store.journal.due(channel.scriptId, deps.clock.now(), limit, priority)
    for (const row of rows) if (read.isNew(row)) scheduler.add(channel, row)
    read.end(rows.length === limit)
  } catch (error) {
    read.end(true)
    deps.log({ level: 'error', message: 'could not read the due deliveries', scriptId: channel.scriptId, error })
  }
}
