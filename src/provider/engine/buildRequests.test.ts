import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { unknownConsent } from '#provider/form/consentSignals.ts'
import type { Provider } from '#provider/form/provider.ts'
import { plain } from '#provider/form/userRule.ts'
import { buildRequests, isTooOld } from './buildRequests.ts'
import { anInput, mirror, now } from './mirror.fixture.ts'
import { missingSecrets } from './secretValues.ts'
import { vendorEventName } from './vendorEventName.ts'

const build = (given?: Parameters<typeof anInput>[0], provider: Provider = mirror) =>
  buildRequests('mirror', provider, anInput(given))

function bodyOf(built: ReturnType<typeof build>) {
  assert.ok('requests' in built)
  return JSON.parse(built.requests[0]!.body!) as Record<string, unknown>
}

test('an event becomes a request as it goes over the wire', () => {
  const data = { value: 119, tax: 19 }
  const captured = { click: { value: 'c1', at: now } }
  const built = build({
    event: { eventName: 'Purchase', data },
    captured,
    purchaseValueMode: 'net',
    custom: { tier: 1 },
  })
  assert.ok('requests' in built)
  assert.deepEqual(
    { ...built.requests[0], body: bodyOf(built) },
    {
      method: 'POST',
      url: 'https://mirror.example/in',
      headers: { 'content-type': 'application/json', 'x-key': 'k3y-of-mirror' },
      body: {
        name: 'bought',
        id: 'evt-1',
        user: { em: createHash('sha256').update('a@b.example').digest('hex') },
        value: 100,
        captured,
        custom: { tier: 1 },
      },
    },
  )
})

test('what nearly every provider reads of an event is at hand, and nothing of it where nothing is said', () => {
  const seen: unknown[] = []
  const looking: Provider = {
    ...mirror,
    request({ data, items, orderId, coupon }) {
      seen.push([data.currency, items.length, orderId, coupon])
      assert.ok(Object.isFrozen(items))
      return []
    },
  }
  const data = { currency: 'EUR', contents: [{ id: 'a' }], orderId: 7, discounts: [{ code: 'SPRING' }, { code: 'X' }] }
  build({ event: { data } }, looking)
  build({ event: { data: 'none' } }, looking)
  assert.deepEqual(seen, [
    ['EUR', 1, '7', 'SPRING'],
    [undefined, 0, 'evt-1', undefined],
  ])
})

test('a standard event goes under the name that is listed, a custom one under the name that is made', () => {
  assert.equal(vendorEventName(mirror, 'Purchase'), 'bought')
  assert.equal(vendorEventName(mirror, 'Lead'), undefined)
  assert.equal(vendorEventName(mirror, 'constructor'), 'own_constructor')
  const { customEventName: _, ...deaf } = mirror
  assert.equal(vendorEventName(deaf as Provider, 'Quiz'), undefined)
  for (const eventName of ['Lead', 'x_private'])
    assert.deepEqual(build({ event: { eventName } }), { skipped: 'eventNotSupported' })
})

test('an event is too old a moment after the limit of the provider', () => {
  assert.ok(!isTooOld(mirror, now - 1_000, now))
  assert.deepEqual(build({ event: { timestamp: now - 1_001 } }), { skipped: 'tooOld' })
})

test('without a field or capture that is required nothing is sent', () => {
  assert.deepEqual(build({ person: { ip: '81.2.69.142' } }), { skipped: 'identityMissing' })
  assert.deepEqual(build({ person: {}, captured: { click: { value: '', at: 1 } } }), { skipped: 'identityMissing' })
  assert.ok('requests' in build({ person: {}, captured: { click: { value: 'c1', at: 1 } } }))
})

test('an optional secret that is empty is absent, one that is not declared is not handed over', () => {
  assert.ok(!('note' in bodyOf(build({ secrets: { KEY: 'k', NOTE: '' } }))))
  assert.equal(bodyOf(build({ secrets: { KEY: 'k', NOTE: 'n' } })).note, 'n')
  const asked: Provider = { ...mirror, request: (_, secrets) => ({ url: 'https://m.example/', json: secrets }) }
  assert.deepEqual(bodyOf(build({ secrets: { KEY: 'k', OTHER: 'o' } }, asked)), { KEY: 'k' })
})

test('a required secret that is missing is a bug that names the variable and no value', () => {
  assert.deepEqual(missingSecrets(mirror, { NOTE: 'n' }), ['KEY'])
  assert.throws(() => build({ secrets: { KEY: '' } }), /a script of mirror lacks KEY/)
})

test('a provider can change nothing of what it is given', () => {
  const data = { contents: [{ id: 'a' }] }
  const greedy = (change: (deps: Parameters<Provider['request']>[0]) => void): Provider => ({
    ...mirror,
    request: (deps) => {
      change(deps)
      return { url: 'https://m.example/' }
    },
  })
  for (const change of [
    (deps: object) => Object.assign(deps, { value: 1 }),
    ({ event }: { event: object }) => Object.assign(event, { eventId: 'other' }),
    ({ event }: Parameters<Provider['request']>[0]) => event.data!.contents!.pop(),
    ({ user }: { user: object }) => Object.assign(user, { em: 'other' }),
    ({ captured }: { captured: object }) => Object.assign(captured, { click: 'other' }),
  ])
    assert.throws(() => build({ event: { data } }, greedy(change)), TypeError)
})

test('several requests come in their order, a provider may skip on its own', () => {
  const twice: Provider = { ...mirror, request: () => [{ url: 'https://a.example/' }, { url: 'https://b.example/' }] }
  const built = build({}, twice)
  assert.ok('requests' in built)
  assert.deepEqual(
    built.requests.map(({ url }) => url),
    ['https://a.example/', 'https://b.example/'],
  )
  assert.deepEqual(build({}, { ...mirror, request: () => ({ skipped: 'filtered' }) }), { skipped: 'filtered' })
})

test('a raw e-mail is struck out of the page address, and a request that still holds one is not made', () => {
  const person = { email: 'Ada@Example.com' }
  const url = 'https://a.example/?e=ada@example.com'
  assert.equal(bodyOf(build({ person, event: { pageUrl: url } })).url, 'https://a.example/?e=redacted')
  assert.deepEqual(build({ person, event: { eventId: 'of ada@example.com' } }), { skipped: 'payloadRefused' })
  const open: Provider = { ...mirror, user: { em: plain('email') } }
  assert.equal(bodyOf(build({ person, event: { pageUrl: url } }, open)).url, url)
})

test('an event that the customer has paired with none of the vendor is filtered', () => {
  const paired: Provider = {
    ...mirror,
    events: {},
    eventMapping: 'NOTE',
    secrets: { ...mirror.secrets, NOTE: { label: 'Events', type: 'TEXT' } },
  }
  const secrets = { KEY: 'k', NOTE: '[["PageView","77"]]' }
  assert.equal(bodyOf(build({ secrets }, paired)).name, '77')
  assert.deepEqual(build({ secrets, event: { eventName: 'Lead' } }, paired), { skipped: 'filtered' })
})

test('signs that are listed together count together only', () => {
  const pair: Provider = { ...mirror, requires: ['captured.click', ['em', 'ip']] }
  assert.deepEqual(build({ person: { email: 'a@b.example' } }, pair), { skipped: 'identityMissing' })
  assert.ok('requests' in build({ person: { email: 'a@b.example', ip: '81.2.69.142' } }, pair))
  assert.ok('requests' in build({ person: {}, captured: { click: { value: 'c', at: now } } }, pair))
})

test('a required captured value with a star is any captured value of such a name', () => {
  const starred: Provider = { ...mirror, requires: ['captured.id_*_x'] }
  const of = (name: string, value = 'v') => build({ captured: { [name]: { value, at: now } } }, starred)
  assert.ok('requests' in of('id_7_x'))
  for (const captured of [of('id_7'), of('x_id_7_x'), of('id_7_x', '')])
    assert.deepEqual(captured, { skipped: 'identityMissing' })
})

test('without a whole way to sign in nothing is sent, and the key is to blame', () => {
  const ways: Provider = { ...mirror, credentialSets: [['NOTE'], ['KEY', 'NOTE']] }
  assert.deepEqual(build({}, ways), { skipped: 'keyRejected' })
  assert.ok('requests' in build({ secrets: { KEY: 'k', NOTE: 'n' } }, ways))
})

test('a token stands where the provider puts it; without one its place is shown', () => {
  const signed: Provider = {
    ...mirror,
    tokenRequest: { request: () => ({ url: 'https://m.example/token' }) },
    request: ({ token }) => ({ url: 'https://m.example/', json: { token } }),
  }
  assert.deepEqual(bodyOf(build({ token: 'tok' }, signed)), { token: 'tok' })
  assert.deepEqual(bodyOf(build({}, signed)), { token: '{token}' })
  const { tokenRequest: _, ...unsigned } = signed
  assert.deepEqual(bodyOf(build({}, unsigned as Provider)), { token: '' })
})

test('for a test the requests are turned to the test mode; half of them would be no test', () => {
  const tested: Provider = {
    ...mirror,
    toTestMode: (send, { NOTE }) => (NOTE ? undefined : { ...send, json: { isTest: true } }),
  }
  assert.deepEqual(bodyOf(build({ testMode: true }, tested)), { isTest: true })
  assert.equal(bodyOf(build({}, tested)).isTest, undefined)
  assert.deepEqual(build({ testMode: true, secrets: { KEY: 'k', NOTE: 'n' } }, tested), { requests: [] })
  assert.deepEqual(build({ testMode: true }), { requests: [] })
})

test('a provider gets the consent of the person; all of it is unknown where nobody says anything', () => {
  const consenting: Provider = {
    ...mirror,
    request: ({ consent }) => ({ url: 'https://mirror.example', json: consent }),
  }
  assert.deepEqual(bodyOf(build({}, consenting)), unknownConsent)
  const consent = { ...unknownConsent, advertising: 'denied' } as const
  assert.deepEqual(bodyOf(build({ consent }, consenting)), consent)
})

test('an id of a device is required of the event, the person or what was captured, and counts together with other fields', () => {
  const mobile: Provider = { ...mirror, user: { ip: plain('ip') }, requires: [['app.idfa', 'ip']] }
  const person = { ip: '81.2.69.142' }
  const given = [
    { event: { data: { idfa: 'ID-1' } } },
    { custom: { idfa: 'ID-1' } },
    { captured: { idfa: { value: 'ID-1', at: now } } },
  ]
  for (const each of given) {
    assert.ok('requests' in build({ ...each, person }, mobile))
    assert.deepEqual(build({ ...each, person: {} }, mobile), { skipped: 'identityMissing' })
  }
  assert.deepEqual(build({ person }, mobile), { skipped: 'identityMissing' })
})

test('where a provider has a click window, what was captured before it or after the event is left out', () => {
  const dayMs = 86_400_000
  const windowed: Provider = { ...mirror, clickWindowMs: 30 * dayMs, requires: ['captured.click'] }
  const at = (agoMs: number, provider = windowed) =>
    build({ captured: { click: { value: 'c1', at: anInput().event.timestamp - agoMs } } }, provider)
  for (const agoMs of [0, 30 * dayMs, -3_600_000]) assert.ok('requests' in at(agoMs), `${agoMs}`)
  for (const agoMs of [30 * dayMs + 1, -3_600_001]) assert.deepEqual(at(agoMs), { skipped: 'identityMissing' })
  assert.ok('requests' in at(400 * dayMs, mirror), 'a provider without a window')
})
