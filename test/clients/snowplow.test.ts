import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { call, makeCustomer, makeScript, makeSourceKey, openAglet, settledJourney, until } from '../fake/aglet.ts'
import { openVendors } from '../vendors/server.ts'
import { exportsOf, hasPython, runPython, skipMissing } from './client.ts'

const vendors = await openVendors()
after(vendors.close)
const aglet = await openAglet('snowplow', { AGLET_VENDORS_URL: vendors.url })

const schema = (name: string, vendor = 'com.snowplowanalytics.snowplow.ecommerce') =>
  `iglu:${vendor}/${name}/jsonschema/1-0-0`
const landing = 'https://shop.example/?fbclid=Click-1'
const consent = { eventType: 'allow_all', basisForProcessing: 'consent', consentScopes: ['marketing'] }
const action = { type: 'transaction' }
const entities = [
  { schema: schema('transaction'), data: { transaction_id: 'A-1001', revenue: 59.98, currency: 'EUR' } },
  { schema: schema('product'), data: { id: 'sku-1', name: 'Runner', price: 29.99, quantity: 2, currency: 'EUR' } },
  { schema: schema('user'), data: { id: 'customer-42', email: 'ada@example.com' } },
]
type Sent = { tagUrl: string; key: string; device: string }

type SelfDescribing = { event: { schema: string; data: object } }
type NodeTracker = {
  track(payload: unknown, context?: readonly object[]): void
  setDomainUserId(id: string): void
  setUserId(id: string): void
}
type NodeSdk = {
  newTracker(tracker: object, emitter: object): NodeTracker
  buildPageView(event: object): unknown
  buildSelfDescribingEvent(event: SelfDescribing): unknown
}

function sendByNode(sdk: NodeSdk, { tagUrl, key, device }: Sent): void {
  const tracker = sdk.newTracker(
    { namespace: 'test', appId: 'shop', encodeBase64: true },
    { endpoint: tagUrl, bufferSize: 1, customHeaders: { authorization: `Bearer ${key}` } },
  )
  tracker.setDomainUserId(device)
  tracker.track(
    sdk.buildSelfDescribingEvent({
      event: { schema: schema('consent_preferences', 'com.snowplowanalytics.snowplow'), data: consent },
    }),
  )
  tracker.track(sdk.buildPageView({ pageUrl: landing, pageTitle: 'Home' }))
  tracker.setUserId('customer-42')
  tracker.track(
    sdk.buildSelfDescribingEvent({ event: { schema: schema('snowplow_ecommerce_action'), data: action } }),
    entities,
  )
}

const program = `import json, sys
from snowplow_tracker import Emitter, Tracker, Subject, SelfDescribingJson, SelfDescribing, PageView
tag_url, key, device, landing, consent_schema, consent, action_schema, action, entities = [json.loads(each) for each in sys.argv[1:]]
protocol, rest = tag_url.split('://')
emitter = Emitter(key + ':@' + rest, protocol=protocol, method='post', batch_size=3)
subject = Subject().set_domain_user_id(device).set_user_id('customer-42')
tracker = Tracker(namespace='test', emitters=emitter, app_id='shop', subject=subject, encode_base64=False)
tracker.track(SelfDescribing(SelfDescribingJson(consent_schema, consent)))
tracker.track(PageView(page_url=landing, page_title='Home'))
context = [SelfDescribingJson(each['schema'], each['data']) for each in entities]
tracker.track(SelfDescribing(SelfDescribingJson(action_schema, action), context=context))
tracker.flush()
`

const clients = [
  {
    name: '@snowplow/node-tracker',
    isInstalled: () => exportsOf('@snowplow/node-tracker') !== undefined,
    async send(sent: Sent): Promise<void> {
      sendByNode(exportsOf<NodeSdk>('@snowplow/node-tracker')!, sent)
    },
  },
  {
    name: 'snowplow-tracker',
    isInstalled: hasPython,
    async send({ tagUrl, key, device }: Sent): Promise<void> {
      const own = schema('consent_preferences', 'com.snowplowanalytics.snowplow')
      await runPython(
        program,
        tagUrl,
        key,
        device,
        landing,
        own,
        consent,
        schema('snowplow_ecommerce_action'),
        action,
        entities,
      )
    },
  },
]

for (const { name, isInstalled, send } of clients)
  test(`${name}: a consent, a visit and a purchase arrive at Meta with user, click id and order`, async (t) => {
    if (!isInstalled()) return skipMissing(t, name)
    const customer = await makeCustomer(aglet, name)
    await call(customer, 'PUT', `/tag/${customer.tagId}`, { sources: ['snowplow'] })
    await makeScript(customer, 'facebook', 'Meta', [
      { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: '123456789012345' },
      { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: 'EAAB-token' },
    ])
    const device = randomUUID()
    vendors.received.length = 0
    await send({ tagUrl: customer.tagUrl, key: await makeSourceKey(aglet, customer), device })
    const purchaseOf = () => vendors.received.find(({ got }) => got.body.includes('"Purchase"'))
    await until(() => purchaseOf() !== undefined)
    const { got, wrong } = purchaseOf()!
    assert.deepEqual(wrong, [])
    const digest = createHash('sha256').update('ada@example.com').digest('hex')
    assert.match(got.body, new RegExp(digest))
    assert.match(got.body, /"fbc":"fb\.1\.\d{13}\.Click-1"/)
    assert.match(got.body, /"value":59\.98/)
    const { event_id: eventId } = (got.json as { data: { event_id: string; event_name: string }[] }).data.find(
      ({ event_name }) => event_name === 'Purchase',
    )!
    const journey = await settledJourney(customer, eventId)
    assert.deepEqual([journey.userId, journey.trusted, journey.eventName], [device, true, 'Purchase'])
  })
