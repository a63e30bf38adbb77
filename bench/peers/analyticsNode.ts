import { listen, load } from './listen.ts'

/**
 * Segment's analytics-node with the vendor as its host: `track` puts the event into a queue in memory, which counts as the
 * answer. One event per request, like the other peers.
 */
const [, , , vendor = ''] = process.argv

type Track = { userId: string; event: string; messageId: string; properties: object }
type Analytics = { track(event: Track): void; on(what: 'error', told: (problem: unknown) => void): void }
type Options = { writeKey: string; host: string; path: string; maxEventsInBatch: number }

const { Analytics } = await load<{ Analytics: new (options: Options) => Analytics }>('@segment/analytics-node')
const analytics = new Analytics({ writeKey: 'bench', host: vendor, path: '/fast/0', maxEventsInBatch: 1 })
analytics.on('error', (problem) => {
  throw new Error('analytics-node lost an event', { cause: problem })
})

listen(async ({ eventName, eventId, ...event }) => {
  analytics.track({ userId: 'bench', event: eventName, messageId: eventId, properties: event })
})
