/**
 * Bodies of many messages, as large as the text is long. Data that the messages share must not be copied for each of
 * them.
 */
const times = (count: number, part: object) => Array.from({ length: count }, () => part)
const keysIn = (text: string) =>
  Object.fromEntries(Array.from({ length: Math.floor(text.length / 20) }, (_, n) => [`key${n}`, 1]))
export const manyMessages: readonly [path: string, bodyOf: (text: string) => object][] = [
  ['/v1/batch', (text) => ({ context: keysIn(text), batch: times(text.length / 40, { type: 'track' }) })],
  ['/v1/batch', (text) => ({ context: { traits: keysIn(text) }, batch: times(500, { type: 'track' }) })],
  ['/v1/track', (text) => ({ type: 'track', integrations: keysIn(text) })],
  ['/mp/collect', (text) => ({ user_properties: keysIn(text), events: times(500, { name: 'x' }) })],
  [
    '/com.snowplowanalytics.snowplow/tp2',
    (text) => ({
      data: times(text.length / 40, { e: 'ti', ti_id: 'A' }).concat(times(text.length / 40, { e: 'tr', tr_id: 'A' })),
    }),
  ],
  ['/tag', (text) => times(text.length / 4, {})],
]

/** The query and the body of a request to `/g/collect` with many hits. */
export const manyHits = (text: string) => ({ query: '&a'.repeat(5_000), body: 'en=x\n'.repeat(text.length / 5) })
