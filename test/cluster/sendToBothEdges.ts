import assert from 'node:assert/strict'
import { makeCustomer, until } from '../fake/aglet.ts'
import { openDestination } from '../fault/destination.ts'
import { eventOf, kinds } from '../fault/events.ts'
import { makeChannels } from '../fault/verdict.ts'
import type { ClusterRig } from './clusterRig.ts'

const count = 200

/** Sends each event to both edges at the same time: one answers `accepted`, the other `duplicate`. */
export async function sendToBothEdges({ aglet }: ClusterRig): Promise<void> {
  const events = new Map(
    Array.from({ length: count }, (_, n) => {
      const sent = eventOf('both', n, Date.now())
      return [sent.event.eventId, sent] as const
    }),
  )
  const destination = await openDestination(kinds.sink, (eventId) => events.get(eventId))
  const customer = await makeCustomer(aglet.of('control')[0]!, 'both')
  await makeChannels(customer, [kinds.sink], [destination])
  const post = async (origin: string, { userId, event }: ReturnType<typeof eventOf>) => {
    const answer = await fetch(`${origin}${new URL(customer.tagUrl).pathname}/tag`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', serviceuserid: userId },
      body: JSON.stringify(event),
    })
    return ((await answer.json()) as { result: { status: string } }).result.status
  }
  try {
    for (const sent of events.values()) {
      const answers = await Promise.all(aglet.edgeOrigins.map((origin) => post(origin, sent)))
      assert.deepEqual(answers.toSorted(), ['accepted', 'duplicate'])
    }
    await until(() => destination.times.size === count)
    assert.deepEqual([...new Set(destination.times.values())], [1])
    assert.deepEqual(destination.wrong, [])
  } finally {
    await destination.close()
  }
}
