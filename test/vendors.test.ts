import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import { buildTokenRequest, readToken } from '#provider/engine/accessToken.ts'
import { buildBatches } from '#provider/engine/buildBatches.ts'
import { type BuildInput, buildRequests } from '#provider/engine/buildRequests.ts'
import { exampleInput, exampleNow } from '#provider/engine/exampleRequests.ts'
import { type Judgement, judge } from '#provider/engine/judgement.ts'
import { judgePartialFailures } from '#provider/engine/partialFailures.ts'
import { openSender } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import type { ProviderExample } from '#provider/form/example.ts'
import type { Provider } from '#provider/form/provider.ts'
import { isSensitive } from '#provider/form/secret.ts'
import { examplesOf } from '#providers/examples/all.ts'
import { providers } from '#providers/index.ts'
import { vendors as all } from './vendors/all.ts'
import { asked, openVendors } from './vendors/server.ts'
import { down, type MockVendor } from './vendors/vendor.ts'

const now = exampleNow
const vendors = await openVendors({ now: () => now })
const send = openSender({ allowPrivate: false, outboundPorts: [], vendorsUrl: vendors.url })
after(async () => {
  await send.close()
  await vendors.close()
})

async function tell(provider: Provider, request: WireRequest): Promise<Judgement> {
  return judge(provider, await send(request, provider.host), now)
}

/** The token that the vendor issues, or the reason why it does not. */
async function tokenOf(id: string, provider: Provider, input: BuildInput) {
  const asks = buildTokenRequest(id, provider, input.secrets, now)
  return asks ? readToken(provider, await send(asks, provider.host), now) : { token: '' }
}

/** The judgements of an example: one for each request, or the token's if there is none. */
async function deliver(id: string, provider: Provider, input: BuildInput): Promise<Judgement[]> {
  const fetched = await tokenOf(id, provider, input)
  if ('refused' in fetched) return [fetched.refused]
  const built = buildRequests(id, provider, { ...input, token: fetched.token })
  const judgements = []
  for (const request of 'skipped' in built ? [] : built.requests) judgements.push(await tell(provider, request))
  return judgements
}

const isSent = ({ sends }: ProviderExample) => !('skipped' in sends) && sends.length > 0
const wrongNow = () => vendors.received.flatMap(({ wrong, got }) => wrong.map((each) => `${got.path}: ${each}`))
const delivered = { verdict: 'delivered' }
/** Failures whose message is keyed by the person's address, for which no path can be written. */
const keyedByPerson = new Set(['emarsys unknownContact'])

for (const [id, vendor] of Object.entries(all) as [keyof typeof all, MockVendor][]) {
  const provider = providers[id]!
  const sent = examplesOf(id).filter(isSent)
  const first = exampleInput(sent[0]!)

  for (const example of sent)
    test(`${id} takes: ${example.title}`, async () => {
      vendors.received.length = 0
      const judgements = await deliver(id, provider, exampleInput(example))
      assert.deepEqual(wrongNow(), [])
      assert.ok(judgements.length > 0)
      for (const judgement of judgements) assert.deepEqual(judgement, delivered)
    })

  test(`${id} takes many events at once`, async () => {
    vendors.received.length = 0
    const fetched = await tokenOf(id, provider, first)
    assert.ok('token' in fetched)
    const inputs = sent
      .filter((example) => !example.testMode)
      .map((example) => ({ ...exampleInput(example), secrets: first.secrets, token: fetched.token }))
    for (const { request } of buildBatches(id, provider, inputs).batches)
      assert.deepEqual(await tell(provider, request), delivered)
    assert.deepEqual(wrongNow(), [])
  })

  for (const [name, { means }] of Object.entries({ ...vendor.failures, down }))
    test(`${id} answers ${name}, which means ${means}`, async () => {
      const built = buildRequests(id, provider, { ...first, token: 'a-token' })
      assert.ok('requests' in built)
      vendors.force(id, name)
      const { verdict, reason } = await tell(provider, built.requests[0]!)
      const again: DeliveryReason[] = ['vendorDown', 'throttled']
      assert.equal(reason, means)
      assert.equal(verdict, again.includes(means) ? 'retry' : means === 'keyRejected' ? 'keyRejected' : 'refused')
    })

  test(`what ${id} says about a failure stands in the message of the delivery`, async () => {
    const built = buildRequests(id, provider, { ...first, token: 'a-token' })
    assert.ok('requests' in built)
    for (const name of Object.keys(vendor.failures)) {
      vendors.force(id, name)
      const answer = await send(built.requests[0]!, provider.host)
      if (!('body' in answer) || !answer.body.includes(asked) || keyedByPerson.has(`${id} ${name}`)) continue
      const { verdict, message } = judge(provider, answer, now)
      assert.ok(verdict === 'delivered' || message?.includes(asked), `${name}: ${message} of ${answer.body}`)
    }
  })

  if (vendor.failures.badKey)
    test(`${id} knows a wrong key`, async () => {
      const isSecret = (variable: string) => isSensitive(provider.secrets[variable]!)
      const bad = Object.entries(first.secrets).map(([name, value]) => [name, isSecret(name) ? 'bad' : value])
      const judgements = await deliver(id, provider, { ...first, secrets: Object.fromEntries(bad) })
      assert.ok(judgements.length > 0)
      for (const { reason } of judgements) assert.equal(reason, 'keyRejected')
    })

  test(`${id} finds what is wrong with a request that says nothing`, async () => {
    const fetched = await tokenOf(id, provider, first)
    const built = buildRequests(id, provider, { ...first, ...fetched })
    assert.ok('requests' in built)
    const [request] = built.requests
    const { origin, pathname } = new URL(request!.url)
    vendors.received.length = 0
    const { verdict, message } = await tell(provider, {
      ...request!,
      url: origin + (vendor.isAllInPath ? '/' : pathname),
      ...(request!.body && { body: '{}' }),
    })
    assert.ok(wrongNow().length > 0)
    assert.equal(verdict === 'delivered', !vendor.failures.badPayload, 'it says so, unless it never does')
    if (vendor.failures.badPayload) assert.match(message ?? '', /^HTTP \d+: ./, 'and what it says is kept')
  })
}

/** The outcome of each event at a vendor that accepts some events of a call and not others. */
async function leftBy(id: string, provider: Provider, inputs: readonly BuildInput[]) {
  const { batches } = buildBatches(id, provider, inputs)
  assert.equal(batches.length, 1)
  const answer = await send(batches[0]!.request, provider.host)
  const left = judgePartialFailures(provider, batches[0]!, answer, judge(provider, answer, now))
  return inputs.map((_, place) => left.get(place)?.reason ?? 'delivered')
}

test('braze takes what is good of a call, and those that it names are known by their list and row', async () => {
  const provider = providers.braze!
  const [first] = examplesOf('braze')
  const event = (eventName: string, data: object) => ({
    ...exampleInput({
      ...first!,
      event: { eventName, data },
      user: { userId: 'usr_1', email: 'jane@example.com' },
    }),
  })
  const order = { currency: 'EUR', value: 1, orderId: 'A-1' }
  const inputs = [
    event('Search', {}),
    event('Purchase', order), // the first with a row of attributes
    event('Purchase', { value: 2, orderId: 'A-2' }), // without a currency
    event('Search', {}),
  ]
  const good = 'delivered'
  assert.deepEqual(await leftBy('braze', provider, inputs), [good, good, 'payloadRefused', good])
  vendors.force('braze', 'dropped') // the first row of attributes
  assert.deepEqual(await leftBy('braze', provider, [inputs[0]!, inputs[1]!]), [good, 'payloadRefused'])
})

test('where nothing of a call is good, braze names rows too and takes none: nobody is called delivered for it', async () => {
  const provider = providers.braze!
  const body = { message: 'Valid data must be provided.', errors: [{ type: 'bad', input_array: 'events', index: 0 }] }
  const answer = { status: 400, headers: {}, body: JSON.stringify(body), durationMs: 1 }
  const whole = judge(provider, answer, now)
  const inputs = examplesOf('braze').slice(0, 2).map(exampleInput)
  const [batch] = buildBatches('braze', provider, inputs).batches
  assert.equal(whole.verdict, 'refused')
  assert.equal(judgePartialFailures(provider, batch!, answer, whole).size, 0, 'the halves are tried')
})

test('amazonKinesis leaves single records out of a call, and each is tried again for its own reason', async () => {
  const provider = providers.amazonKinesis!
  const inputs = examplesOf('amazonKinesis').slice(0, 3).map(exampleInput)
  for (const [failure, reason] of [
    ['fullShard', 'throttled'],
    ['internal', 'vendorDown'],
  ] as const) {
    vendors.force('amazonKinesis', failure)
    assert.deepEqual(await leftBy('amazonKinesis', provider, inputs), [reason, 'delivered', 'delivered'])
  }
})

const ask = async (path: string, options: RequestInit = {}) => {
  const answer = await fetch(`${vendors.url}${path}`, options)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}
const post = (path: string, body: object) => ask(path, { method: 'POST', body: JSON.stringify(body) })

test('who is here is told, with the ways in which each can fail', async () => {
  const { body } = await ask('/')
  const rows = body.vendors as Record<string, { failures: string[] }>
  assert.deepEqual(Object.keys(rows), Object.keys(all))
  assert.ok(rows.tiktok!.failures.includes('partial') && rows.tiktok!.failures.includes('down'))
})

test('a failure that is asked for comes as often as it is asked for', async () => {
  const event = () => fetch(`${vendors.url}/vendor/facebook/v25.0/1/events`, { method: 'POST', body: '{}' })
  assert.equal((await post('/force', { vendor: 'facebook', failure: 'down', times: 2 })).status, 200)
  const statuses = [await event(), await event(), await event()].map(({ status }) => status)
  assert.deepEqual(statuses, [503, 503, 400])
})

test('a failure that a vendor does not have, and a vendor that is not here, are named', async () => {
  const unknown = await post('/force', { vendor: 'facebook', failure: 'flood' })
  assert.equal(unknown.status, 400)
  assert.match(String(unknown.body.message), /facebook fails by badKey, /)
  assert.match(String((await post('/force', { vendor: 'nobody', failure: 'down' })).body.message), /no vendor nobody/)
  assert.equal((await ask('/vendor/nobody/x')).status, 404)
  assert.equal((await ask('/x', { headers: { 'x-aglet-host': 'nobody.example' } })).status, 404)
})

test('what came is told with what its vendor finds wrong with it, until it is forgotten', async () => {
  await ask('/received', { method: 'DELETE' })
  await fetch(`${vendors.url}/u?CID=1`, { headers: { 'x-aglet-host': 'www.emjcd.com' } })
  const { received } = (await ask('/received?vendor=cj')).body as { received: { wrong: string[]; answered: number }[] }
  assert.equal(received.length, 1)
  assert.ok(received[0]!.wrong.some((each) => each.startsWith('CJEVENT')))
  assert.equal(received[0]!.answered, 200)
  assert.deepEqual((await ask('/received?vendor=tiktok')).body, { received: [] })
  await ask('/received', { method: 'DELETE' })
  assert.deepEqual((await ask('/received')).body, { received: [] })
})

test('a signature is recomputed for the keys that are known: another body under it is refused', async () => {
  for (const id of ['amazonKinesis', 'sailthru'] as const) {
    const provider = providers[id]!
    const built = buildRequests(id, provider, exampleInput(examplesOf(id).find(isSent)!))
    assert.ok('requests' in built)
    const body = built.requests[0]!.body!.replace(/A/, 'B')
    assert.equal((await tell(provider, { ...built.requests[0]!, body })).reason, 'keyRejected')
  }
})
