import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import type { PreviewEvent, PreviewLink } from '#contract/previewLink.ts'
import {
  type Customer,
  call,
  makeCustomer,
  makeScript,
  openAglet,
  settledJourney,
  sinkAt,
  until,
} from '../fake/aglet.ts'
import { cases } from '../fake/cases.ts'
import { openVendor } from '../fake/vendor.ts'

const vendor = await openVendor(() => ({ body: '{"events_received":1}' }))
after(vendor.close)
const environment = { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_VENDORS_URL: vendor.url, AGLET_RATE_LIMIT: '100000' }
const aglet = await openAglet('preview-link', environment)

let made = 0
const anEvent = (more: Record<string, unknown> = {}) => ({
  eventName: 'Purchase',
  eventId: `preview-${process.pid}-${++made}`,
  timestamp: Date.now(),
  userEmail: 'ada@example.com',
  data: { value: 30, currency: 'EUR', orderId: `order-${made}` },
  storage: { service: { consent: { all: true } } },
  ...more,
})
const meta = (testCode?: string) => [
  { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER' as const, value: '42' },
  { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD' as const, value: 'token-of-meta' },
  ...(testCode ? [{ variable: 'FACEBOOK_TEST_EVENT_CODE', type: 'TEXT' as const, value: testCode }] : []),
]

type Answer = { result: { status: string; previewId?: string; refused?: string; left?: number } }
async function send(customer: Customer, path: string, body: unknown, headers: Record<string, string> = {}) {
  const answer = await fetch(customer.tagUrl + path, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', ...headers },
  })
  return { status: answer.status, body: (await answer.json()) as Answer }
}

async function makeLink(customer: Customer, terms: Record<string, unknown> = {}): Promise<PreviewLink> {
  const path = `/tag/${customer.tagId}/preview-link`
  const { status, body } = await call<PreviewLink>(customer, 'POST', path, { draft: true, deliver: 'none', ...terms })
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const preview = ({ code }: PreviewLink) => ({ 'aglet-preview': code })

/** The events of a link, once this many are planned. */
async function planned(customer: Customer, { previewId }: PreviewLink, count: number): Promise<PreviewEvent[]> {
  let events: PreviewEvent[] = []
  await until(async () => {
    const path = `/tag/${customer.tagId}/preview-link/${previewId}/event`
    events = (await call<{ events: PreviewEvent[] }>(customer, 'GET', path)).body.events
    return events.length === count && events.every(({ isPlanned }) => isPlanned)
  })
  return events
}

const statusesOf = ({ journey }: PreviewEvent) =>
  Object.fromEntries(journey.deliveries.map(({ scriptId, status, reason }) => [scriptId, [status, reason]]))

test('a preview runs the draft as it then is, and sends nothing; another visitor gets what is live', async () => {
  const customer = await makeCustomer(aglet, 'draft')
  const goneId = await makeScript(customer, 'eventSink', 'gone', sinkAt(`${vendor.url}/draft/gone`))
  const keptId = await makeScript(customer, 'eventSink', 'kept', sinkAt(`${vendor.url}/draft/kept`))
  const link = await makeLink(customer)
  assert.equal(link.url, `https://localhost/?aglet_preview=${link.code}`)
  // after the link was created: a draft rule
  const filter = { filter: { data: { value: { $gte: 100 } } }, shouldDeploy: false }
  assert.equal((await call(customer, 'PATCH', `/script/${goneId}`, filter)).status, 200)

  const event = anEvent()
  const answer = await send(customer, '/tag', event, preview(link))
  assert.deepEqual([answer.body.result.status, answer.body.result.previewId], ['accepted', link.previewId])
  const [shown] = await planned(customer, link, 1)
  assert.deepEqual(statusesOf(shown!), { [goneId]: ['skipped', 'filtered'], [keptId]: ['simulated', undefined] })
  assert.match(JSON.stringify(shown!.journey.deliveries.find(({ scriptId }) => scriptId === goneId)!.why), /\$gte|100/)
  const [request] = shown!.journey.deliveries.find(({ scriptId }) => scriptId === keptId)!.attempts[0]!.exchanges!
  assert.equal(request!.request.url, `${vendor.url}/draft/kept`)
  assert.deepEqual(
    vendor.got.filter(({ path }) => path.startsWith('/draft')),
    [],
  )

  const ordinary = anEvent()
  await send(customer, '/tag', ordinary)
  await settledJourney(customer, ordinary.eventId)
  assert.deepEqual(
    vendor.got
      .map(({ path }) => path)
      .filter((path) => path.startsWith('/draft'))
      .sort(),
    ['/draft/gone', '/draft/kept'],
  )
})

test('a link to a deployment runs that one', async () => {
  const customer = await makeCustomer(aglet, 'deployment')
  const scriptId = await makeScript(customer, 'eventSink', 'sink', sinkAt(`${vendor.url}/deployment`))
  const list = await call<{ deployments: { number: number }[] }>(customer, 'GET', `/tag/${customer.tagId}/deployment`)
  const { number } = list.body.deployments[0]!
  await call(customer, 'DELETE', `/script/${scriptId}`)
  const link = await makeLink(customer, { draft: null, deployment: number })
  await send(customer, '/tag', anEvent(), preview(link))
  const [shown] = await planned(customer, link, 1)
  assert.equal(shown!.journey.deployment, number)
  assert.deepEqual(Object.keys(statusesOf(shown!)), [scriptId])
})

test('in test mode only channels send whose vendor has one, by the code of their test', async () => {
  const customer = await makeCustomer(aglet, 'test mode')
  const testedId = await makeScript(customer, 'facebook', 'tested', meta('TEST42'))
  const untestedId = await makeScript(customer, 'facebook', 'no code', meta())
  const sinkId = await makeScript(customer, 'eventSink', 'sink', sinkAt(`${vendor.url}/mode`))
  const link = await makeLink(customer, { deliver: 'testMode' })
  const before = vendor.got.length
  await send(customer, '/tag', anEvent(), preview(link))
  const [shown] = await planned(customer, link, 1)
  assert.deepEqual(statusesOf(shown!), {
    [testedId]: ['delivered', undefined],
    [untestedId]: ['simulated', undefined],
    [sinkId]: ['simulated', undefined],
  })
  const sent = vendor.got.slice(before)
  assert.deepEqual(
    sent.map(({ json }) => (json as { test_event_code?: string }).test_event_code),
    ['TEST42'],
  )
  assert.doesNotMatch(JSON.stringify(shown), /token-of-meta/)
})

test('a code that is expired, of another tag, changed or used up is ignored: the event is an ordinary one', async () => {
  const customer = await makeCustomer(aglet, 'codes')
  const other = await makeCustomer(aglet, 'other codes')
  await makeScript(customer, 'eventSink', 'sink', sinkAt(`${vendor.url}/codes`))
  const link = await makeLink(customer)
  const foreign = await makeLink(other)
  const changed = link.code.replace('.n.', '.t.')
  for (const code of [foreign.code, changed, '', '__proto__', 'x'.repeat(5_000), `${link.code}x`]) {
    const event = anEvent()
    const { body } = await send(customer, '/tag', event, { 'aglet-preview': code })
    assert.deepEqual([body.result.status, body.result.previewId], ['accepted', undefined], code.slice(0, 80))
    await settledJourney(customer, event.eventId)
    const state = await send(customer, '/preview', undefined, { 'aglet-preview': code })
    assert.deepEqual(state.body.result, { refused: 'unknown' })
  }
  const many = Array.from({ length: 499 }, () => anEvent())
  await send(customer, '/tag', many, preview(link))
  assert.equal((await send(customer, '/preview', undefined, preview(link))).body.result.left, 1)
  await send(customer, '/tag', anEvent(), preview(link))
  assert.deepEqual((await send(customer, '/preview', undefined, preview(link))).body.result, { refused: 'usedUp' })
  const event = anEvent()
  assert.equal((await send(customer, '/tag', event, preview(link))).body.result.previewId, undefined)
  await settledJourney(customer, event.eventId)
})

test('what is wrong with the terms of a link is named', async () => {
  const customer = await makeCustomer(aglet, 'terms')
  const path = `/tag/${customer.tagId}/preview-link`
  const refused = [
    { deliver: 'none' },
    { draft: true, deployment: 1, deliver: 'none' },
    { draft: true, deliver: 'all' },
    { draft: true, deliver: 'none', expiresIn: 7_201 },
    { draft: true, deliver: 'none', expiresIn: -1 },
    { draft: false, deliver: 'none' },
  ]
  for (const body of refused) {
    const answer = await call<{ error: string }>(customer, 'POST', path, body)
    assert.deepEqual([answer.status, answer.body.error], [400, 'BAD_REQUEST'], JSON.stringify(body))
  }
})

test('a user update of a preview stays with the visitor and reaches no channel; a page starts with the draft', async () => {
  const customer = await makeCustomer(aglet, 'users')
  const scriptId = await makeScript(customer, 'eventSink', 'sink', sinkAt(`${vendor.url}/users`))
  const draftId = await makeScript(customer, 'facebook', 'draft', meta(), { shouldDeploy: false })
  const link = await makeLink(customer)
  const headers = { ...preview(link), ServiceUserId: 'usr_previewing' }
  const consent = { storage: { service: { consent: { all: true } } } }
  await send(customer, '/user', { key: 'email', value: 'bea@example.com', ...consent }, headers)
  await send(customer, '/tag', anEvent({ userEmail: undefined }), headers)
  const [user, event] = await planned(customer, link, 2)
  assert.deepEqual([user!.kind, event!.kind], ['user', 'event'])
  assert.deepEqual(statusesOf(user!), { [scriptId]: ['simulated', undefined] })
  assert.ok('em' in JSON.parse(bodyOf(event!, draftId)).data[0].user_data)
  assert.deepEqual(
    vendor.got.filter(({ path }) => path.startsWith('/users')),
    [],
  )
  const init = await send(customer, '/init', undefined, headers)
  assert.deepEqual((init.body.result as unknown as { package: string }[]).map((row) => row.package).sort(), [
    'eventSink',
    'facebook',
  ])
  const live = await send(customer, '/init', undefined, { ServiceUserId: 'usr_previewing' })
  assert.equal((live.body.result as unknown as object[]).length, 1)
})

const bodyOf = ({ journey }: PreviewEvent, scriptId: string) =>
  journey.deliveries.find((each) => each.scriptId === scriptId)!.attempts[0]!.exchanges![0]!.request.body!

test('an erasure deletes what a preview shows of the visitor', async () => {
  const customer = await makeCustomer(aglet, 'erasure')
  const link = await makeLink(customer)
  await send(customer, '/tag', anEvent(), { ...preview(link), ServiceUserId: 'usr_gone' })
  await send(customer, '/tag', anEvent(), { ...preview(link), ServiceUserId: 'usr_stays' })
  await planned(customer, link, 2)
  await call(customer, 'DELETE', `/tag/${customer.tagId}/user/usr_gone`)
  const [only, ...none] = await planned(customer, link, 1)
  assert.deepEqual([only!.journey.userId, none], ['usr_stays', []])
})

/** Every count that the server returns for a tag, and every event and delivery counter of its metrics. */
async function countsOf(customer: Customer): Promise<Record<string, unknown>> {
  const read = async (path: string) => (await call<Record<string, unknown>>(customer, 'GET', path)).body
  const range = `from=${Date.now() - 86_400_000}&to=${Date.now() + 86_400_000}`
  const tag = `/tag/${customer.tagId}`
  const [stats, funnel, intake, team, channels, events, deliveries, alerts, replays, found] = await Promise.all([
    read(`${tag}/stats?${range}&step=day`),
    read(`${tag}/funnel?${range}`),
    read(`${tag}/intake`),
    read('/stats'),
    read(`${tag}/channel`),
    read(`${tag}/event`),
    read(`${tag}/delivery`),
    read('/alert'),
    read(`${tag}/replay`),
    read(`${tag}/event?orderId=order-1`),
  ])
  const metrics = await (await fetch(`${aglet.origin}/metrics`)).text()
  const counters = metrics
    .split('\n')
    .filter((line) => /^aglet_(?!event_loop)\w*(event|attempt|deliver|alert|intake)/.test(line))
  const { seen: _, from: __, to: ___, ...intakeCounts } = intake
  const shown = { stats, funnel, intake: intakeCounts, team, channels, events, deliveries, alerts, replays, found }
  return JSON.parse(JSON.stringify({ ...shown, counters }, (key, value) => (isTime(key) ? undefined : value)))
}
const isTime = (key: string) => ['from', 'to', 'at', 'oldestAt'].includes(key)

test('no event of a preview is in any count', async () => {
  const customer = await makeCustomer(aglet, 'counts')
  await makeScript(customer, 'facebook', 'meta', meta('TEST42'))
  await makeScript(customer, 'eventSink', 'sink', sinkAt(`${vendor.url}/counts`))
  const first = anEvent()
  await send(customer, '/tag', first)
  await settledJourney(customer, first.eventId)
  const before = await settledCounts(customer)
  const names = fc.constantFrom('Purchase', 'PageView', 'Lead', 'madeUp')
  const events = fc.array(names, { minLength: 1, maxLength: 4 })
  const call = fc.record({ names: events, isArray: fc.boolean(), isUser: fc.boolean(), isRepeat: fc.boolean() })
  const law = fc.asyncProperty(
    fc.constantFrom('none', 'testMode'),
    fc.array(call, { minLength: 1, maxLength: 4 }),
    async (deliver, calls) => {
      const link = await makeLink(customer, { deliver })
      let count = 0
      for (const { names, isArray, isUser, isRepeat } of calls) {
        const [one, ...more] = names.map((eventName) =>
          anEvent({ eventName, ...(isRepeat && { eventId: first.eventId }) }),
        )
        const body = isArray ? [one, ...more] : one
        count += isArray ? names.length : 1
        await send(customer, '/tag', body, { ...preview(link), origin: 'http://localhost' })
        if (!isUser) continue
        await send(customer, '/user', { key: 'city', value: 'Paris' }, { ...preview(link), ServiceUserId: 'usr_a' })
        count++
      }
      await planned(customer, link, count)
      assert.deepEqual(await settledCounts(customer), before)
    },
  )
  await fc.assert(law, { numRuns: cases(20, 4) })
})

/** The counts, once two reads are equal: they are written every second. */
async function settledCounts(customer: Customer): Promise<Record<string, unknown>> {
  let last = ''
  await until(async () => {
    const now = JSON.stringify(await countsOf(customer))
    const isSame = now === last
    last = now
    if (!isSame) await new Promise((resolve) => setTimeout(resolve, 1_200))
    return isSame
  })
  return JSON.parse(last)
}
