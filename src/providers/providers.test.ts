import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { isStandardEvent, type StandardEvent, standardEvents, type TagEvent } from '#contract/event.ts'
import { providerIds } from '#contract/providerIds.ts'
import { standardKeys } from '#contract/user.ts'
import { type BuildInput, buildRequests } from '#provider/build.ts'
import { identityOf, type PersonKey } from '#provider/identity.ts'
import { type Example, isSensitive, type Provider } from '#provider/provider.ts'
import { providers } from './index.ts'

const timestamp = 1_700_000_000_000
const now = timestamp + 1_000
const all = Object.entries(providers) as [string, Provider][]

function inputOf({ event, user, custom, captured, purchaseValueMode, secrets }: Example): BuildInput {
  const seen = Object.entries(captured ?? {}).map(([name, value]) => [name, { value, at: timestamp }])
  return {
    event: { eventId: 'evt-1', timestamp, ...event } as TagEvent,
    identity: identityOf(user ?? {}),
    captured: Object.fromEntries(seen),
    ...(custom && { custom }),
    purchaseValueMode: purchaseValueMode ?? 'gross',
    secrets: secrets as Record<string, string>,
    now,
  }
}

function sentBy(id: string, each: Provider, input: BuildInput) {
  const built = buildRequests(id, each, input)
  if ('skipped' in built) return built
  return built.requests.map(({ body, ...request }) => {
    const isJson = request.headers['content-type'] === 'application/json'
    return { ...request, ...(body !== undefined && { body: isJson ? JSON.parse(body) : body }) }
  })
}

const text = fc.string({ maxLength: 40, unit: 'binary' })
const anyEvent = fc.record(
  {
    eventName: fc.oneof(fc.constantFrom(...Object.keys(standardEvents)), text),
    eventId: text,
    timestamp: fc.integer({ min: timestamp - 86_400_000, max: now }),
    data: fc.oneof(
      fc.dictionary(
        fc.constantFrom('value', 'currency', 'contents', 'orderId', 'search', 'discounts', 'x'),
        fc.jsonValue(),
      ),
      fc.record({ contents: fc.array(fc.record({ id: fc.oneof(text, fc.integer()), quantity: fc.jsonValue() })) }),
    ),
    pageUrl: fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.jsonValue()),
    search: fc.oneof(fc.webQueryParameters(), fc.jsonValue()),
    storage: fc.object(),
  },
  { requiredKeys: ['eventName', 'eventId', 'timestamp'] },
)
const anyPerson = fc.dictionary(fc.constantFrom<PersonKey>(...standardKeys, 'userId', 'ip', 'userAgent'), text)
const anyCaptures = fc.dictionary(fc.constantFrom('_ga', '_ga_ABC123', 'fbclid', '_fbc', '_fbp'), text)

for (const [id, each] of all) {
  const asked = each.examples.map((example) => ({ example, input: inputOf(example) }))
  const { secrets } = each.examples[0]!

  test(`${id} reads well: one of the 91 ids, https links, something to capture where it is required`, () => {
    assert.ok((providerIds as readonly string[]).includes(id))
    for (const link of [each.docs, each.dashboardUrl, ...Object.values(each.links ?? {})])
      assert.match(link ?? 'https:', /^https:/)
    for (const { label, helpLink } of Object.values(each.secrets)) {
      assert.ok(label.trim())
      assert.match(helpLink ?? 'https:', /^https:/)
    }
    const captures = each.captures?.flatMap(({ query, cookie }) => [query, cookie]) ?? []
    for (const sign of (each.requires ?? []).filter((one) => one.startsWith('captured.')))
      assert.ok(captures.includes(sign.slice('captured.'.length)), `${sign} is never captured`)
  })

  test(`${id} is shown by an example for each event it lists`, () => {
    const shown = new Set(each.examples.map(({ event }) => event.eventName))
    for (const name in each.events) assert.ok(shown.has(name), `no example of ${name}`)
    assert.equal(
      Boolean(each.custom),
      [...shown].some((name) => !isStandardEvent(name)),
    )
  })

  for (const { example, input } of asked)
    test(`${id}: ${example.title}`, () => {
      const sent = sentBy(id, each, input)
      const due = 'skipped' in example.sends ? example.sends : example.sends.map((one) => ({ method: 'POST', ...one }))
      assert.deepEqual(sent, due)
      assert.deepEqual(sentBy(id, each, inputOf(example)), sent, 'asked twice, it answers alike')
    })

  test(`${id} uses every secret that it asks for, and puts a sensitive one into an address only where it says why`, () => {
    const leaving = (variable: string) =>
      asked.map(({ input }) => {
        const marked = { ...input.secrets, [variable]: markOf(variable, input.secrets[variable]) }
        return JSON.stringify(buildRequests(id, each, { ...input, secrets: marked }))
      })
    for (const [variable, spec] of Object.entries(each.secrets)) {
      const changes = leaving(variable).some(
        (text, i) => text !== JSON.stringify(buildRequests(id, each, asked[i]!.input)),
      )
      assert.equal(
        changes,
        spec.usedBy === undefined,
        `${variable} ${changes ? 'changes' : 'does not change'} a request`,
      )
    }
    for (const [variable, spec] of Object.entries(each.secrets).filter(([, one]) => isSensitive(one)))
      for (const { input } of asked) {
        const built = buildRequests(id, each, input)
        const urls = 'skipped' in built ? [] : built.requests.map(({ url }) => decodeURIComponent(url))
        const stands = urls.some((url) => input.secrets[variable] && url.includes(input.secrets[variable]))
        assert.ok(!stands || spec.inAddress, `${variable} stands in an address`)
      }
  })

  test(`${id} sends nothing without the identity it needs`, () => {
    if (!each.requires) return
    const input = inputOf({ ...each.examples[0]!, user: {}, captured: {} })
    assert.deepEqual(buildRequests(id, each, input), { skipped: 'identityMissing' })
  })

  test(`${id} sends an old event until its limit and not after`, () => {
    if (!each.maxAgeMs) return
    const { input } = asked.find(({ example }) => !('skipped' in example.sends))!
    const aged = (ageMs: number) =>
      buildRequests(id, each, { ...input, event: { ...input.event, timestamp: now - ageMs } })
    assert.ok('requests' in aged(each.maxAgeMs))
    assert.deepEqual(aged(each.maxAgeMs + 1), { skipped: 'tooOld' })
  })

  test(`${id} gets a raw e-mail or phone number only where it declares it`, () => {
    const contact = { email: 'Canary@Person.example', phone: '+1 650 555 1212' }
    const plain = Object.values(each.user)
      .filter(({ hash }) => !hash)
      .map(({ of }) => of)
    for (const { example } of asked) {
      const leaky = { pageUrl: `https://shop.example/?e=canary%40person.example&p=16505551212`, title: 'x' }
      const built = buildRequests(
        id,
        each,
        inputOf({ ...example, event: { ...example.event, ...leaky }, user: { ...example.user, ...contact } }),
      )
      const wire = 'skipped' in built ? '' : decodeURIComponent(JSON.stringify(built.requests).replaceAll('%', '%25'))
      if (!plain.includes('email')) assert.doesNotMatch(wire, /canary(@|%40)person/i)
      if (!plain.includes('phone')) assert.doesNotMatch(wire, /(?<!\w)1?\D{0,3}650\D{0,2}555\D?1212/)
    }
  })

  test(`${id} takes whatever event comes: it never throws, leaves what it is given as it was and sends valid requests`, () => {
    const property = fc.property(anyEvent, anyPerson, anyCaptures, (event, user, captured) => {
      const example = { title: '', event, user, captured, secrets, sends: [] }
      const input = inputOf(example as Example)
      const before = JSON.stringify(input.event)
      const built = buildRequests(id, each, input)
      assert.equal(JSON.stringify(input.event), before)
      for (const { url, method, headers, body } of 'skipped' in built ? [] : built.requests) {
        assert.ok(URL.canParse(url))
        assert.match(method, /^[A-Z]+$/)
        new Headers(headers)
        for (const name of Object.keys(headers)) assert.equal(name, name.toLowerCase())
        if (headers['content-type'] === 'application/json') JSON.parse(body!)
      }
    })
    fc.assert(property, { numRuns: 300 })
  })
}

/** Another value for a variable: of the same kind, so that it is used in the same way. */
function markOf(variable: string, was: string | undefined): string {
  if (/^[01]$/.test(was ?? '')) return was === '1' ? '0' : '1'
  if (was?.startsWith('{')) return '{"x-marked": "marked"}'
  return was?.startsWith('http') ? `${was}#marked` : `marked-${variable}`
}

test('no two providers bear one label', () => {
  assert.equal(new Set(all.map(([, { label }]) => label)).size, all.length)
})

test('every file in this folder is listed (else: npm run providers)', () => {
  const files = globSync('*.ts', { cwd: import.meta.dirname }).map((file) => file.slice(0, -'.ts'.length))
  assert.deepEqual(
    files.filter((name) => name !== 'index' && !name.endsWith('.test')).sort(),
    Object.keys(providers).sort(),
  )
})

test('a standard event that a provider does not list is not handed to it as a custom one', () => {
  const [id, facebook] = all.find(([name]) => name === 'facebook')!
  const deaf: Provider = { ...facebook, events: {} }
  for (const eventName of Object.keys(standardEvents) as StandardEvent[])
    assert.deepEqual(buildRequests(id, deaf, inputOf({ ...facebook.examples[0]!, event: { eventName } })), {
      skipped: 'eventNotSupported',
    })
})
