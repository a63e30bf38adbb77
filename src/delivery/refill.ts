import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Journal, Lane } from '#store/store.ts'
import type { Channel } from './channel.ts'
import type { Round } from './round.ts'

type RefillWorld = { clock: Clock; log: Log; store: { journal: Pick<Journal, 'due'> } }

/** Fetches from the store for every channel that has more there and room for it here. */
export async function refill(round: Round, on: RefillWorld): Promise<void> {
  for (const channel of round.channels()) {
    for (const lane of round.wants(channel)) await fetchDue(channel, lane, round, on)
    round.look(channel)
  }
}

async function fetchDue(channel: Channel, lane: Lane, round: Round, on: RefillWorld): Promise<void> {
  const line = channel.lines[lane]
  const limit = channel.held.size + round.room(channel, lane) // what is held may be among the oldest, and is given again
  const ended = new Set<string>()
  line.endedMeanwhile = ended
  line.hasMore = false // what finds no room from now on says so again
  try {
    const rows = await on.store.journal.due(channel.scriptId, on.clock.now(), limit, lane)
    for (const row of rows) if (!channel.held.has(row.deliveryId) && !ended.has(row.deliveryId)) round.add(channel, row)
    if (rows.length === limit) line.hasMore = true
  } catch (error) {
    line.hasMore = true
    on.log({ level: 'error', message: 'could not read what is due', scriptId: channel.scriptId, error })
  } finally {
    line.endedMeanwhile = undefined
  }
}
