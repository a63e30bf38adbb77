import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Fault } from '#contract/fault.ts'
import { sourceNames } from '#contract/sourceNames.ts'
import { sourceAt } from './allSources.ts'
import type { SourceInput } from './source.ts'

/** An address of each source, and the texts that its messages consist of. */
const doors: readonly {
  path: string
  method: string
  headers?: Record<string, string>
  wrap(message: unknown): unknown
}[] = [
  { path: '/v1/batch', method: 'POST', wrap: (message) => ({ batch: [message] }) },
  { path: '/v1/track', method: 'POST', wrap: (message) => message },
  { path: '/mp/collect', method: 'POST', wrap: (message) => ({ events: [message], user_properties: message }) },
  { path: '/g/collect', method: 'POST', wrap: (message) => message },
  {
    path: '/cloudevents',
    method: 'POST',
    headers: { 'content-type': 'application/cloudevents-batch+json' },
    wrap: (message) => [message],
  },
  { path: '/cloudevents', method: 'POST', headers: { 'ce-specversion': '1.0' }, wrap: (message) => message },
  { path: '/com.snowplowanalytics.snowplow/tp2', method: 'POST', wrap: (message) => ({ data: [message] }) },
  {
    path: '/shopify/pixel',
    method: 'POST',
    wrap: (message) => ({ events: [message], consent: message, cookies: message }),
  },
]

/** The names that the sources read, with values of any type. */
const names =
  `type event messageId anonymousId userId previousId groupId traits properties context consent categoryPreferences
  consentManagement allowedConsentIds integrations timestamp originalTimestamp sentAt page url products product_id price quantity coupon
  device advertisingId adTrackingEnabled app namespace os screen network
  total revenue address email name params items client_id timestamp_micros id source specversion time data data_base64 e eid dtm stm ue_pr ue_px
  co cx schema cartLine checkout lineItems variant order token marketing __proto__ constructor`.split(/\s+/)
const types = [
  'track',
  'page',
  'identify',
  'group',
  'alias',
  'screen',
  'Order Completed',
  'ue',
  'tr',
  'purchase',
  '1.0',
]
const { message } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(...types),
    fc.jsonValue(),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('message'),
  ),
  message: fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 12 }),
}))

const inputOf = ({ path, method, headers = {} }: (typeof doors)[number], body: Buffer): SourceInput => ({
  path,
  method,
  headers,
  query: new URLSearchParams('v=2&cid=1.2&ep.__proto__=x&pr1=~&gcs=G&gcd=1'),
  body,
  trusted: true,
  brand: 'Service',
  receivedAt: Date.UTC(2026, 10, 20),
})

test('a source reads any body as messages or refuses it with a fault, and changes no prototype', () => {
  for (const door of doors) {
    const source = sourceAt(door.path, sourceNames)!
    const read = (body: string) => {
      try {
        const bytes = Buffer.from(body)
        const { payload } = source.parse?.(bytes) ?? {}
        for (const { event } of source.read({ ...inputOf(door, bytes), payload })) {
          assert.equal(Object.getPrototypeOf(event), Object.prototype)
          assert.equal(Object.getPrototypeOf(event.data ?? {}), Object.prototype)
        }
      } catch (problem) {
        assert.ok(problem instanceof Fault, `${door.path}: ${problem instanceof Error ? problem.stack : problem}`)
      }
    }
    fc.assert(fc.property(message, (each) => read(JSON.stringify(door.wrap(each)))))
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), read))
  }
  assert.deepEqual(Object.keys(Object.prototype), [])
})

test('the Measurement Protocol: a denied signal denies advertising and itself, and no signal grants anything', () => {
  const door = doors.find(({ path }) => path === '/mp/collect')!
  const consentOf = (consent: Record<string, string>): unknown => {
    const body = Buffer.from(JSON.stringify({ consent, events: [{ name: 'purchase' }] }))
    const [read] = sourceAt(door.path, sourceNames)!.read(inputOf(door, body))
    const { storage } = read!.event as { storage?: { service?: { consentCategories?: unknown } } }
    return storage?.service?.consentCategories
  }
  const denied = 'DENIED'
  assert.equal(consentOf({ ad_user_data: 'GRANTED', ad_personalization: 'GRANTED' }), undefined)
  assert.deepEqual(consentOf({ ad_user_data: denied }), { advertising: false, share_pii: false })
  assert.deepEqual(consentOf({ ad_personalization: denied }), { advertising: false, ad_personalization: false })
})
