import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { makeSourceKey, openAglet } from '../fake/aglet.ts'
import { openVendors } from '../vendors/server.ts'
import { exportsOf, hasPython, runPython, skipMissing } from './client.ts'
import { assertArrived, assertRefused, customerId, email, journeyNamed, landing, openShop, orderId } from './shop.ts'

const vendors = await openVendors()
after(vendors.close)
const aglet = await openAglet('snowplow', { AGLET_VENDORS_URL: vendors.url })

const schema = (name: string, vendor = 'com.snowplowanalytics.snowplow.ecommerce') =>
  `iglu:${vendor}/${name}/jsonschema/1-0-0`
const consentOf = (isGranted: boolean) => ({
  eventType: isGranted ? 'allow_all' : 'deny_all',
  basisForProcessing: 'consent',
  consentScopes: ['marketing', 'analytics'],
})
const action = { type: 'transaction' }
const entities = [
  { schema: schema('transaction'), data: { transaction_id: orderId, revenue: 59.98, currency: 'EUR' } },
  { schema: schema('product'), data: { id: 'sku-1', name: 'Runner', price: 29.99, quantity: 2, currency: 'EUR' } },
  { schema: schema('user'), data: { id: customerId, email } },
]
type Sent = { tagUrl: string; key: string; device: string; isGranted: boolean }

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

function sendByNode(sdk: NodeSdk, { tagUrl, key, device, isGranted }: Sent): void {
  const tracker = sdk.newTracker(
    { namespace: 'test', appId: 'shop', encodeBase64: true },
    { endpoint: tagUrl, bufferSize: 1, customHeaders: { authorization: `Bearer ${key}` } },
  )
  tracker.setDomainUserId(device)
  tracker.track(
    sdk.buildSelfDescribingEvent({
      event: { schema: schema('consent_preferences', 'com.snowplowanalytics.snowplow'), data: consentOf(isGranted) },
    }),
  )
  tracker.track(sdk.buildPageView({ pageUrl: landing, pageTitle: 'Home' }))
  tracker.setUserId(customerId)
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
    async send({ tagUrl, key, device, isGranted }: Sent): Promise<void> {
      const own = schema('consent_preferences', 'com.snowplowanalytics.snowplow')
      await runPython(
        program,
        tagUrl,
        key,
        device,
        landing,
        own,
        consentOf(isGranted),
        schema('snowplow_ecommerce_action'),
        action,
        entities,
      )
    },
  },
]

for (const { name, isInstalled, send } of clients) {
  test(`${name}: a consent, a visit and a purchase arrive at Meta and GA4 with user, click id and order`, async (t) => {
    if (!isInstalled()) return skipMissing(t, name)
    const customer = await openShop(aglet, name, 'snowplow')
    const device = randomUUID()
    vendors.received.length = 0
    await send({ tagUrl: customer.tagUrl, key: await makeSourceKey(aglet, customer), device, isGranted: true })
    const visit = await journeyNamed(customer, 'PageView')
    const purchase = await journeyNamed(customer, 'Purchase')
    assert.deepEqual([purchase.userId, purchase.trusted], [device, true])
    assertArrived(vendors, visit, purchase)
  })

  test(`${name}: nothing is sent after a consent that refuses`, async (t) => {
    if (!isInstalled()) return skipMissing(t, name)
    const customer = await openShop(aglet, `${name}, refused`, 'snowplow')
    vendors.received.length = 0
    const key = await makeSourceKey(aglet, customer)
    await send({ tagUrl: customer.tagUrl, key, device: randomUUID(), isGranted: false })
    assertRefused(vendors, await journeyNamed(customer, 'Purchase'))
  })
}
