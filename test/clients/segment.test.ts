import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, type TestContext, test } from 'node:test'
import { makeSourceKey, openAglet, settledJourney } from '../fake/aglet.ts'
import { openVendors } from '../vendors/server.ts'
import { exportsOf, hasPython, runPython, skipMissing } from './client.ts'
import { assertArrived, assertRefused, customerId, email, landing, openShop, order } from './shop.ts'

const vendors = await openVendors()
after(vendors.close)
const aglet = await openAglet('clients', { AGLET_VENDORS_URL: vendors.url })

/** The purchase only has the user id. */
const userId = customerId
const context = (isGranted: boolean) => ({
  page: { url: landing, title: 'Home' },
  userAgent: 'Mozilla/5.0 (a visitor)',
  consent: { categoryPreferences: { Advertising: isGranted, Analytics: isGranted } },
})
type Sent = { tagUrl: string; key: string; anonymousId: string; isGranted: boolean; ids: readonly string[] }
type Client = { name: string; isInstalled(): boolean; send(sent: Sent): Promise<unknown> }

type Message = Record<string, unknown>
type NodeAnalytics = Record<'page' | 'identify' | 'track', (message: Message) => void> & {
  closeAndFlush(): Promise<void>
  flush(done: (problem?: unknown) => void): Promise<void>
  on(event: string, listener: (problem: unknown) => void): void
}

/** Sends the three messages with the methods that the Node SDKs share. */
function tell(analytics: NodeAnalytics, { anonymousId, isGranted, ids: [page, identify, track] }: Sent): void {
  const at = context(isGranted)
  analytics.page({ anonymousId, messageId: page, name: 'Home', properties: at.page, context: at })
  analytics.identify({ anonymousId, userId, messageId: identify, traits: { email, plan: 'gold' }, context: at })
  analytics.track({ userId, messageId: track, event: 'Order Completed', properties: order, context: at })
}

const clients: readonly Client[] = [
  {
    name: '@segment/analytics-node',
    isInstalled: () => exportsOf('@segment/analytics-node') !== undefined,
    async send(sent) {
      const { Analytics } = exportsOf<{ Analytics: new (options: object) => NodeAnalytics }>('@segment/analytics-node')!
      const { origin, pathname } = new URL(sent.tagUrl)
      const analytics = new Analytics({ writeKey: sent.key, host: origin, path: `${pathname}/v1/batch` })
      const problems: unknown[] = []
      analytics.on('error', (problem) => problems.push(problem))
      tell(analytics, sent)
      await analytics.closeAndFlush()
      assert.deepEqual(problems, [])
    },
  },
  {
    name: '@rudderstack/rudder-sdk-node',
    isInstalled: () => exportsOf('@rudderstack/rudder-sdk-node') !== undefined,
    async send(sent) {
      const exported = exportsOf<{ default: new (key: string, options: object) => NodeAnalytics }>(
        '@rudderstack/rudder-sdk-node',
      )!
      const Analytics = exported.default ?? exported
      const analytics = new Analytics(sent.key, { dataPlaneUrl: sent.tagUrl, gzip: true, logLevel: 'error' })
      tell(analytics, sent)
      await new Promise<void>((resolve, reject) => {
        void analytics.flush((problem) => (problem ? reject(problem) : resolve()))
      })
    },
  },
  {
    name: 'segment-analytics-python',
    isInstalled: hasPython,
    send: ({ tagUrl, key, anonymousId, isGranted, ids }) =>
      runPython(
        `import json, sys
import segment.analytics as analytics
tag_url, key, device, user, email, context, order, ids = [json.loads(each) for each in sys.argv[1:]]
analytics.write_key = key
analytics.host = tag_url
analytics.gzip = True
analytics.on_error = lambda error, items: (print(error, file=sys.stderr), sys.exit(1))
analytics.page(anonymous_id=device, name='Home', properties=context['page'], context=context, message_id=ids[0])
analytics.identify(user, {'email': email, 'plan': 'gold'}, anonymous_id=device, context=context, message_id=ids[1])
analytics.track(user, 'Order Completed', order, context=context, message_id=ids[2])
analytics.shutdown()
`,
        tagUrl,
        key,
        anonymousId,
        userId,
        email,
        context(isGranted),
        order,
        ids,
      ),
  },
]

for (const { name, isInstalled, send } of clients) {
  test(`${name}: a visit, an identify and a purchase arrive at Meta and GA4 with user, click id and order`, async (t) => {
    if (!isInstalled()) return skipMissing(t, name)
    const customer = await openShop(aglet, name, 'segment')
    const anonymousId = randomUUID()
    const ids = [randomUUID(), randomUUID(), randomUUID()]
    const key = await makeSourceKey(aglet, customer)
    vendors.received.length = 0
    await send({ tagUrl: customer.tagUrl, key, anonymousId, isGranted: true, ids })
    const visit = await settledJourney(customer, ids[0]!)
    const purchase = await settledJourney(customer, ids[2]!)
    assert.equal(visit.userId, anonymousId)
    assertArrived(vendors, visit, purchase)
  })

  test(`${name}: nothing is sent where the consent in the context refuses`, async (t) => {
    if (!isInstalled()) return skipMissing(t, name)
    const customer = await openShop(aglet, `${name}, refused`, 'segment')
    const ids = [randomUUID(), randomUUID(), randomUUID()]
    const key = await makeSourceKey(aglet, customer)
    vendors.received.length = 0
    await send({ tagUrl: customer.tagUrl, key, anonymousId: randomUUID(), isGranted: false, ids })
    assertRefused(vendors, await settledJourney(customer, ids[2]!))
  })
}

test('@segment/analytics-node sends again what could not be stored, and nothing is doubled', async (t: TestContext) => {
  const sdk = exportsOf<{ Analytics: new (options: object) => NodeAnalytics }>('@segment/analytics-node')
  if (!sdk) return skipMissing(t, '@segment/analytics-node')
  const customer = await openShop(aglet, 'retries', 'segment')
  const key = await makeSourceKey(aglet, customer)
  const { origin, pathname } = new URL(customer.tagUrl)
  const answers: number[] = []
  // the first answer is lost after the server has stored the event; the second says that the server is busy
  const httpClient = async (url: string, options: RequestInit) => {
    if (answers.push(0) === 2) return new Response('', { status: 503 })
    const answer = await fetch(url, options)
    answers[answers.length - 1] = answer.status
    return answers.length === 1 ? new Response('', { status: 500 }) : answer
  }
  const analytics = new sdk.Analytics({
    writeKey: key,
    host: origin,
    path: `${pathname}/v1/batch`,
    maxRetries: 3,
    httpClient,
  })
  const messageId = randomUUID()
  analytics.track({ userId, messageId, event: 'Order Completed', properties: order, context: context(true) })
  await analytics.closeAndFlush()
  assert.deepEqual(answers, [200, 0, 200])
  const { deliveries } = await settledJourney(customer, messageId)
  assert.deepEqual(
    deliveries.map(({ status }) => status),
    ['delivered', 'delivered'],
  )
})

test('every client has its line in docs/dependencies.md', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
  const { dependencies } = JSON.parse(read('sdks/package.json'))
  const python = read('sdks/requirements.txt')
    .split('\n')
    .flatMap((line) => line.split('==', 1))
    .filter(Boolean)
  const page = read('../../docs/dependencies.md')
  for (const name of [...Object.keys(dependencies), ...python]) assert.ok(page.includes(`\`${name}\``), name)
})
