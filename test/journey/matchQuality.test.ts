import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { MatchQuality } from '#contract/matchQuality.ts'
import { call, makeCustomer, makeScript, openAglet, settledJourney, sinkAt } from '../fake/aglet.ts'
import { openVendor } from '../fake/vendor.ts'

const bodies: string[] = []
const asked: string[] = []
/** Meta's own rating, as documented: for a known token, and for each event name. */
function qualityOf(path: string, authorization: string | undefined) {
  asked.push(`${authorization} ${path}`)
  if (authorization !== 'Bearer fb-token') {
    const body = JSON.stringify({ error: { message: 'Invalid OAuth access token', type: 'OAuthException', code: 190 } })
    return { status: 400, body }
  }
  const web = [
    { event_match_quality: { composite_score: 6.2 }, event_name: 'PageView' },
    { event_match_quality: { composite_score: 7.2 }, event_coverage: { percentage: 84.5 }, event_name: 'Purchase' },
  ]
  return { body: JSON.stringify({ web }) }
}
const vendor = await openVendor(({ path, body, headers }) => {
  if (path.includes('/events')) bodies.push(String(body))
  if (path.includes('/dataset_quality')) return qualityOf(path, headers.authorization)
  return { status: 200, body: '{}' }
})
after(vendor.close)
const environment = { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_VENDORS_URL: vendor.url }
const aglet = await openAglet('match-quality', environment)
const customer = await makeCustomer(aglet, 'matching')
const meta = await makeScript(customer, 'facebook', 'Meta', [
  { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: '1234567890' },
  { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: 'fb-token' },
])
await makeScript(customer, 'eventSink', 'warehouse', sinkAt(`${vendor.url}/sink`))

const purchase = (eventId: string, more: object) => ({
  ...{ eventName: 'Purchase', eventId, timestamp: Date.now() },
  data: { value: 12.5, currency: 'EUR', orderId: eventId },
  storage: { service: { consent: { all: true } } },
  ...more,
})

async function send(body: unknown, headers: Record<string, string>): Promise<void> {
  const answer = await fetch(`${customer.tagUrl}/tag`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  assert.equal(answer.status, 200, await answer.text())
}

const read = async (query = '') =>
  (await call<MatchQuality>(customer, 'GET', `/tag/${customer.tagId}/match-quality${query}`)).body

const fromServer = { authorization: `Bearer ${customer.token}`, 'team-id': customer.teamId }
const fromPage = { origin: 'http://localhost', 'user-agent': 'Mozilla/5.0 (iPhone)' }

test('what a vendor got of the events of browsers and servers is told key by key, with what is wrong and an example', async () => {
  await send(purchase('m-1', { userEmail: 'ada@shop.com', ip: '10.0.0.1' }), fromServer)
  await send(
    purchase('m-2', { userEmail: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }),
    fromServer,
  )
  await send(purchase('m-3', {}), fromPage)
  for (const eventId of ['m-1', 'm-2', 'm-3']) await settledJourney(customer, eventId)
  const { channels } = await read('?interval=hour')
  assert.deepEqual(
    channels.map(({ scriptId }) => scriptId),
    [meta],
  )
  const [channel] = channels
  assert.deepEqual([channel?.events, channel?.eventsBySource], [3, { browser: 1, server: 2 }])
  const email = channel?.keys.find(({ key }) => key === 'email')
  assert.deepEqual(email, {
    ...{ key: 'email', vendorKey: 'em', strength: 'strong', share: 0.3333, faulty: 0.3333 },
    shareBySource: { browser: 0, server: 0.5 },
  })
  const agent = channel?.keys.find(({ key }) => key === 'userAgent')
  assert.deepEqual(agent?.shareBySource, { browser: 1, server: 0 })
  assert.deepEqual([channel?.withStrongKey, channel?.coverage], [0.3333, 'poor'])
  const findings = new Map(channel?.findings.map((each) => [each.code, each]))
  assert.equal(findings.get('EMPTY_HASH')?.example?.eventId, 'm-2')
  assert.match(findings.get('PRIVATE_ADDRESS')?.example?.eventId ?? '', /^m-[13]$/) // the page is on this machine
  assert.equal(
    channel?.intervals?.reduce((sum, { events }) => sum + events, 0),
    3,
  )
  assert.equal(bodies.length > 0 && bodies.every((body) => !body.includes('e3b0c442')), true)
})

test('a range above 35 days and an unknown channel are refused with the path', async () => {
  const refused = async (query: string) => {
    const { status, body } = await call<{ attributes: { issues: { path: string }[] } }>(
      customer,
      'GET',
      `/tag/${customer.tagId}/match-quality${query}`,
    )
    return [status, body.attributes.issues[0]?.path]
  }
  const now = Date.now()
  assert.deepEqual(await refused(`?from=${now - 36 * 86_400_000}&to=${now}`), [400, 'from'])
  assert.deepEqual(await refused('?scriptId=scr_nope'), [400, 'scriptId'])
  assert.deepEqual((await read('?eventName=Lead')).channels[0]?.events, 0)
  assert.equal((await read(`?scriptId=${meta}&interval=day`)).channels[0]?.intervals?.at(-1)?.keys?.em, 0.3333)
})

test('Meta’s own rating stands beside ours once it was asked for, and a refused token stops no channel', async () => {
  assert.deepEqual((await read()).channels[0]?.vendor, { name: 'event_match_quality', of: 10 })
  assert.equal(asked.length, 0)
  const [channel] = (await read(`?vendor=ask&scriptId=${meta}`)).channels
  assert.equal(channel?.vendor?.error, undefined)
  assert.deepEqual(channel?.vendor?.events, [
    { eventName: 'PageView', score: 6.2 },
    { eventName: 'Purchase', score: 7.2, coverage: 0.845 },
  ])
  assert.equal(channel?.vendor?.score, 7.2)
  assert.equal((await read(`?scriptId=${meta}&eventName=PageView`)).channels[0]?.vendor?.score, 6.2)
  await read(`?vendor=ask&scriptId=${meta}`)
  assert.equal(asked.length, 1)
  assert.match(asked[0]!, /dataset_id=1234567890/)
  assert.ok(!asked[0]!.slice('Bearer fb-token'.length).includes('fb-token'), 'the token is not in the address')

  const every = await call(customer, 'GET', `/tag/${customer.tagId}/match-quality?vendor=ask`)
  assert.equal(every.status, 400)
  const refused = await makeScript(customer, 'facebook', 'Meta without rights', [
    { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: '1234567891' },
    { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: 'other-token' },
  ])
  const [second] = (await read(`?vendor=ask&scriptId=${refused}`)).channels
  assert.equal(second?.vendor?.error, 'TOKEN_REFUSED')
  await send(purchase('m-9', { userEmail: 'ada@shop.com' }), fromServer)
  const { deliveries } = await settledJourney(customer, 'm-9')
  assert.deepEqual(
    deliveries.filter(({ scriptId }) => scriptId === refused).map(({ status }) => status),
    ['delivered'],
  )
})
