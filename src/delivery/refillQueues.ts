import type { SlotOwnership } from '#cluster/cluster.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { DueRequest, Journal, Priority } from '#store/store.ts'
import type { Channel } from './channel.ts'
import type { QueueRead } from './deliveryQueues.ts'
import type { Scheduler } from './scheduler.ts'

type RefillDeps = {
  clock: Clock
  log: Log
  store: { journal: Pick<Journal, 'due'> }
  ownership: Pick<SlotOwnership, 'owns'>
}

type Refill = { channel: Channel; request: DueRequest & { priority: Priority } }

/** The maximum deliveries that one call of the store returns. */
const maxRows = 5_000

/** Fetches due deliveries from the store for every channel with free queue space; one call covers many channels. */
export async function refillQueues(scheduler: Scheduler, deps: RefillDeps): Promise<void> {
  for (const refills of selectRefills(scheduler)) await fetchDue(refills, scheduler, deps)
  for (const channel of scheduler.channels()) scheduler.refresh(channel)
}

/** The queues to refill, in groups. A group is only selected after the previous group was added to its queues. */
function* selectRefills(scheduler: Scheduler): Generator<Refill[]> {
  let group: Refill[] = []
  let rows = 0
  for (const channel of [...scheduler.channels()])
    for (const priority of scheduler.prioritiesToRefill(channel)) {
      const free = Math.min(scheduler.capacity(channel, priority), scheduler.free() - rows)
      if (free <= 0) break
      // The rows may include deliveries that are in memory.
      const limit = channel.queues.inMemory() + free
      group.push({ channel, request: { scriptId: channel.scriptId, priority, limit } })
      rows += free
      if (rows < maxRows) continue
      yield group
      group = []
      rows = 0
    }
  if (group.length > 0) yield group
}

async function fetchDue(refills: readonly Refill[], scheduler: Scheduler, deps: RefillDeps): Promise<void> {
  const reads = refills.map(({ channel, request }): QueueRead => channel.queues.read(request.priority))
  try {
    const requests = refills.map(({ request }) => request)
    const found = await deps.store.journal.due(requests, deps.clock.now())
    for (const [n, { channel, request }] of refills.entries()) {
      const rows = found[n]!
      for (const row of rows)
        if (reads[n]!.isNew(row) && deps.ownership.owns(row.tagId, row.slot)) scheduler.add(channel, row)
      reads[n]!.end(rows.length === request.limit)
    }
  } catch (error) {
    for (const read of reads) read.end(true)
    deps.log({ level: 'error', message: 'could not read the due deliveries', channels: refills.length, error })
  }
}
