import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { providerIds } from '#contract/providerIds.ts'
import { isStandardEvent, type StandardEvent, standardEvents } from '#contract/standardEvents.ts'
import { standardKeys } from '#contract/standardKeys.ts'
import { buildBatches } from '#provider/engine/buildBatches.ts'
import { buildRequests } from '#provider/engine/buildRequests.ts'
import {
  bodyValue,
  exampleEventAt,
  exampleInput,
  exampleNow,
  exampleRequests,
  withMatchedPatterns,
} from '#provider/engine/exampleRequests.ts'
import { invalidSecret } from '#provider/engine/secretValues.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { type ProviderExample, personTitles } from '#provider/form/example.ts'
import type { PersonKey } from '#provider/form/person.ts'
import type { Provider } from '#provider/form/provider.ts'
import { isSensitive, type SecretSpec } from '#provider/form/secret.ts'
import { anyCodePoint } from '../../test/fake/anyCodePoint.ts'
import { cases } from '../../test/fake/cases.ts'
import { examplesOf } from './examples/all.ts'
import { providers } from './index.ts'

const all = Object.entries(providers) as [string, Provider][]

const requestsOf = (sent: ReturnType<typeof exampleRequests>): WireRequest[] => ('skipped' in sent ? [] : sent)
const isSent = ({ sends }: ProviderExample) => !('skipped' in sends)
const shown = (request: WireRequest) => {
  const { body: _, gzip: __, ...rest } = request
  return request.body === undefined ? rest : { ...rest, body: bodyValue(request) }
}

/** All values in a body that are not lists or objects. A query string is split into its values. */
function leavesOf(value: unknown): unknown[] {
  if (typeof value === 'string' && value.startsWith('?')) return [...new URLSearchParams(value).values()]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value]
}
const requestsFor = (built: ReturnType<typeof buildRequests>) => ('requests' in built ? built.requests : [])

/** The text of all requests, with base64 decoded. */
const textOf = (requests: readonly WireRequest[]): string => {
  const wire = decodeURIComponent(JSON.stringify(requests).replaceAll(/%(?![0-9a-f]{2})/gi, '%25'))
  const packed = wire.match(/[\w+/-]{24,}/g) ?? []
  return [wire, ...packed.map((run) => Buffer.from(run, 'base64').toString())].join('\n')
}

const text = fc.string({ maxLength: 40, unit: anyCodePoint })
const anyItem = fc.record(
  {
    id: fc.oneof(text, fc.integer()),
    quantity: fc.jsonValue(),
    item_price: fc.oneof(fc.double(), fc.jsonValue()),
    title: text,
  },
  { requiredKeys: [] },
)
const anyData = fc.record(
  {
    value: fc.oneof(fc.double(), fc.jsonValue()),
    currency: fc.oneof(fc.constantFrom('EUR', 'JPY'), text),
    contents: fc.oneof(fc.array(anyItem), fc.jsonValue()),
    orderId: fc.oneof(text, fc.integer()),
    search: fc.jsonValue(),
    discounts: fc.jsonValue(),
    tax: fc.double(),
    x: fc.jsonValue(),
  },
  { requiredKeys: [] },
)
const anyEventOf = (names: readonly string[]) =>
  fc.record(
    {
      eventName: fc.oneof(fc.constantFrom(...Object.keys(standardEvents), 'Refund', ...names), text),
      eventId: fc.oneof(text, fc.uuid()),
      timestamp: fc.integer({ min: exampleEventAt - 86_400_000, max: exampleNow }),
      data: fc.oneof(anyData, fc.jsonValue()),
      pageUrl: fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.jsonValue()),
      search: fc.oneof(fc.webQueryParameters(), fc.jsonValue()),
      storage: fc.object(),
    },
    { requiredKeys: ['eventName', 'eventId', 'timestamp'] },
  )
const anyPerson = fc.dictionary(fc.constantFrom<PersonKey>(...standardKeys, 'userId', 'ip', 'userAgent'), text)

/** Another value for a variable in the same format, so that the provider uses it in the same way. */
function otherValue(variable: string, given: string | undefined, spec: SecretSpec): string {
  const { isHostLabel, choices } = spec
  const was = given ?? spec.default
  if (choices) return choices.find((choice) => choice !== (was ?? choices[0]))!
  if (isHostLabel) return 'marked'
  if (/^[01]$/.test(was ?? '')) return was === '1' ? '0' : '1'
  if (was?.startsWith('{')) return '{"x-marked": "marked"}'
  if (was?.startsWith('[')) return was.replaceAll(/"?\w[\w-]*"?(?=\s*[\]}])/g, '"marked"')
  return was?.startsWith('http') ? `${was}#marked` : `marked-${variable}`
}

for (const [id, each] of all) {
  const examples = examplesOf(id)
  const exampleInputs = examples.map((example) => ({ example, input: exampleInput(example) }))
  const first = exampleInputs.find(({ example }) => isSent(example))!
  const captureNames = each.captures?.flatMap(({ query = '', cookie = '' }) => [query, cookie.replace('*', 'x')]) ?? []
  const ownEvents = examples.map(({ event }) => event.eventName).filter((name) => !isStandardEvent(name))

  test(`${id} is one of the 91 ids, has https links, a description for each variable, and captures each captured value that it requires`, () => {
    assert.ok((providerIds as readonly string[]).includes(id))
    for (const link of [each.docs, each.dashboardUrl, ...Object.values(each.links ?? {})])
      assert.match(link ?? 'https:', /^https:/)
    for (const [variable, { label, helpLink, description }] of Object.entries(each.secrets)) {
      assert.ok(label.trim())
      assert.ok((description?.length ?? 0) > 12, `${variable} is not explained`)
      assert.match(helpLink ?? 'https:', /^https:/)
    }
    const captures = each.captures?.flatMap(({ query, cookie }) => [query, cookie]) ?? []
    for (const sign of (each.requires ?? []).flat().filter((one) => one.startsWith('captured.')))
      assert.ok(captures.includes(sign.slice('captured.'.length)), `${sign} is never captured`)
    assert.equal(
      Object.values(each.secrets).some(({ isHostLabel }) => isHostLabel),
      each.host === 'label',
    )
    for (const variable of examples.flatMap(({ secrets }) => Object.keys(secrets)))
      assert.ok(each.secrets[variable], `${variable} of an example is no secret`)
    for (const variables of each.credentialSets ?? [])
      for (const variable of variables) assert.ok(each.secrets[variable]?.optional, `${variable} is no optional secret`)
  })

  test(`${id} has an example for each event it lists, for each reason not to send, for its test mode and for each credential set`, () => {
    const names = new Set(examples.map(({ event }) => event.eventName))
    for (const name in each.events) assert.ok(names.has(name), `no example of ${name}`)
    assert.equal(
      Boolean(each.customEventName || each.eventMapping),
      examples.some((example) => isSent(example) && !Object.hasOwn(each.events, example.event.eventName)),
      'a custom event',
    )
    if (each.requires)
      assert.ok(
        examples.some(({ sends }) => 'skipped' in sends && sends.skipped === 'identityMissing'),
        'no example is skipped for identityMissing',
      )
    if (each.eventMapping) assert.ok(examples.some(({ sends }) => 'skipped' in sends && sends.skipped === 'filtered'))
    if (each.toTestMode)
      assert.ok(
        examples.some(({ testMode: isTest }) => isTest),
        'its test mode',
      )
    for (const variables of each.credentialSets ?? [])
      assert.ok(
        examples.some(({ secrets }) => variables.every((variable) => secrets[variable])),
        `${variables}`,
      )
  })

  if (examples.some(({ sends }) => !('skipped' in sends) && sends.length > 0))
    test(`${id} has an example of a visitor without identity, of a person with an e-mail and of a customer`, () => {
      const titles = new Set(examples.map(({ title }) => title))
      for (const title of Object.values(personTitles)) assert.ok(titles.has(title), title)
    })

  for (const { example, input } of exampleInputs)
    test(`${id}: ${example.title}`, () => {
      const { sends } = example
      const sent = exampleRequests(id, each, example, input)
      if ('skipped' in sends || 'skipped' in sent) return assert.deepEqual(sent, sends)
      const due = sends.map((one) => ({ method: 'POST', ...one }))
      assert.deepEqual(withMatchedPatterns(sent.map(shown), due), due)
      assert.deepEqual(
        exampleRequests(id, each, example, exampleInput(example)),
        sent,
        'the same input gives the same requests',
      )
      assert.equal(invalidSecret(each, input.secrets), undefined, 'its secrets are valid')
    })

  test(`${id} uses every secret that it declares, and puts a sensitive one into a URL only with a reason`, () => {
    const sentWith = (secrets: Record<string, string>) =>
      exampleInputs.map(({ example, input }) =>
        JSON.stringify(exampleRequests(id, each, example, { ...input, secrets: { ...input.secrets, ...secrets } })),
      )
    const unmarked = sentWith({})
    for (const [variable, spec] of Object.entries(each.secrets)) {
      const marked = exampleInputs.map(({ example, input }) => {
        const secrets = { ...input.secrets, [variable]: otherValue(variable, input.secrets[variable], spec) }
        return exampleRequests(id, each, example, { ...input, secrets })
      })
      const changes = marked.some((sent, n) => JSON.stringify(sent) !== unmarked[n])
      const message = `${variable} ${changes ? 'changes' : 'does not change'} a request`
      assert.equal(changes, spec.usedBy === undefined, message)
      const hosts = marked.flatMap(requestsOf).map(({ url }) => new URL(url).host)
      const own = exampleInputs.flatMap(({ example, input }) => requestsOf(exampleRequests(id, each, example, input)))
      if (each.host === 'fixed')
        for (const host of hosts)
          assert.ok(
            Object.values(spec.regionHosts ?? {}).includes(host) || own.some(({ url }) => new URL(url).host === host),
            `${variable} changes the host`,
          )
    }
    for (const [variable, { whyInUrl }] of Object.entries(each.secrets).filter(([, one]) => isSensitive(one)))
      for (const { example, input } of exampleInputs)
        for (const { url } of requestsOf(exampleRequests(id, each, example, input))) {
          const stands = input.secrets[variable] && decodeURIComponent(url).includes(input.secrets[variable])
          assert.ok(!stands || whyInUrl, `${variable} is in a URL`)
        }
  })

  for (const [variable, { regionHosts = {} }] of Object.entries(each.secrets))
    if (Object.keys(regionHosts).length > 0)
      test(`${id} sends to the host of each region that ${variable} offers`, () => {
        for (const [chosen, host] of Object.entries(regionHosts)) {
          const secrets = { ...first.input.secrets, [variable]: chosen }
          const requests = requestsOf(exampleRequests(id, each, first.example, { ...first.input, secrets }))
          assert.ok(requests.some(({ url }) => new URL(url).host === host))
        }
      })

  if (each.requires)
    test(`${id} sends nothing without the identity it requires`, () => {
      const input = exampleInput({ ...first.example, user: {}, captured: {} })
      assert.deepEqual(buildRequests(id, each, input), { skipped: 'identityMissing' })
    })

  if (each.maxAgeMs)
    test(`${id} sends events up to its maximum age and no older ones`, () => {
      const aged = (ageMs: number) =>
        buildRequests(id, each, { ...first.input, event: { ...first.input.event, timestamp: exampleNow - ageMs } })
      assert.ok('requests' in aged(each.maxAgeMs!))
      assert.deepEqual(aged(each.maxAgeMs! + 1), { skipped: 'tooOld' })
    })

  test(`${id} gets a raw e-mail or phone number only where it declares it`, () => {
    const contact = { email: 'Canary@Person.example', phone: '+1 650 555 1212' }
    const plain = Object.values(each.user).flatMap(({ hash, key }) => (hash ? [] : [key]))
    for (const { example } of exampleInputs) {
      const leaky = { pageUrl: 'https://shop.example/?e=canary%40person.example&p=16505551212', title: 'x' }
      const event = { ...example.event, ...leaky }
      const input = exampleInput({ ...example, event, user: { ...example.user, ...contact } })
      const text = textOf(requestsOf(exampleRequests(id, each, example, input)))
      if (!plain.includes('email')) assert.doesNotMatch(text, /canary(@|%40)person/i)
      if (!plain.includes('phone')) assert.doesNotMatch(text, /(?<!\w)1?\D{0,3}650\D{0,2}555\D?1212/)
    }
  })

  if (each.tokenRequest)
    test(`${id} requests a token first, and puts it into the requests that follow`, () => {
      const [token, ...requests] = requestsOf(exampleRequests(id, each, first.example, first.input))
      assert.ok(token && first.example.replies, 'no example has a reply to the token request')
      const other = buildRequests(id, each, { ...first.input, token: 'another-token' })
      assert.ok('requests' in other && textOf(other.requests).includes('another-token'))
      assert.ok(!textOf(requests).includes('{token}'))
    })

  if (each.batch)
    test(`${id} sends every event of a batch, and a batch of one as a single request`, () => {
      const real = exampleInputs.filter(({ example }) => isSent(example) && !example.testMode).slice(0, 20)
      const inputs = [...real, ...real].map(({ input }, at) => {
        const eventId = at < real.length ? input.event.eventId : `${input.event.eventId}-${at}`
        return { ...input, event: { ...input.event, eventId }, secrets: first.input.secrets }
      })
      const [alone] = buildBatches(id, each, inputs.slice(0, 1)).batches
      assert.deepEqual({ requests: [alone?.request] }, buildRequests(id, each, inputs[0]!))
      const { batches, skipped } = buildBatches(id, each, inputs)
      const indexes = [...batches.flatMap(({ eventIndexes }) => eventIndexes), ...skipped.map(({ at }) => at)]
      assert.deepEqual(
        [...new Set(indexes)].sort((a, b) => a - b),
        inputs.map((_, at) => at),
      )
      assert.ok(batches.length < indexes.length, 'no requests were joined')
      for (const { request, eventIndexes } of batches) {
        const sent = new Set(leavesOf(bodyValue(request)))
        const expected = eventIndexes.flatMap((at) => requestsFor(buildRequests(id, each, inputs[at]!)).map(bodyValue))
        if (eventIndexes.length > 1) assert.deepEqual(new Set(leavesOf(expected)).difference(sent), new Set())
      }
    })

  test(`${id} never throws for any event, does not change its input and sends valid requests`, () => {
    const names = [...ownEvents, ...Object.keys(each.events)]
    const anyCaptures = fc.dictionary(fc.constantFrom('_ga', 'fbclid', ...captureNames.filter(Boolean)), text)
    const secrets = fc.constantFrom(...exampleInputs.map(({ example }) => example.secrets))
    const property = fc.property(anyEventOf(names), anyPerson, anyCaptures, secrets, (event, user, captured, given) => {
      const input = exampleInput({ event, user, captured, secrets: given })
      const before = JSON.stringify(input.event)
      const built = buildRequests(id, each, input)
      assert.equal(JSON.stringify(input.event), before)
      for (const request of 'skipped' in built ? [] : built.requests) {
        assert.ok(URL.canParse(request.url))
        assert.match(request.method, /^[A-Z]+$/)
        new Headers(request.headers)
        for (const name of Object.keys(request.headers)) assert.equal(name, name.toLowerCase())
        bodyValue(request)
      }
    })
    fc.assert(property, { numRuns: cases(100) })
  })
}

test('a provider file has at most 240 lines', () => {
  for (const [id] of all) {
    const lines = readFileSync(new URL(`./${id}.ts`, import.meta.url), 'utf8')
      .trimEnd()
      .split('\n').length
    assert.ok(lines <= 240, `${id} has ${lines}`)
  }
})

test('labels are unique', () => {
  assert.equal(new Set(all.map(([, { label }]) => label)).size, all.length)
})

test('a provider has a browser module exactly where its file says so', () => {
  const folder = new URL('../browser/window/modules/', import.meta.url).pathname
  const modules = globSync('*.ts', { cwd: folder }).map((file) => file.slice(0, -'.ts'.length))
  const inPage = all.filter(([, each]) => each.hasBrowserModule).map(([id]) => id)
  assert.deepEqual(modules.sort(), inPage.sort())
  for (const [id, { secrets, hasBrowserModule: has }] of all)
    assert.ok(has || Object.values(secrets).every(({ usedBy }) => usedBy !== 'browser'), `${id} has no browser module`)
})

test('every file in this folder is listed (else: npm run providers)', () => {
  const files = globSync('*.ts', { cwd: import.meta.dirname }).map((file) => file.slice(0, -'.ts'.length))
  assert.deepEqual(
    files.filter((name) => name !== 'index' && !name.endsWith('.test')).sort(),
    Object.keys(providers).sort(),
  )
})

test('a standard event that a provider does not list is not sent as a custom one', () => {
  const [id, facebook] = all.find(([name]) => name === 'facebook')!
  const withoutEvents: Provider = { ...facebook, events: {} }
  for (const eventName of Object.keys(standardEvents) as StandardEvent[])
    assert.deepEqual(
      buildRequests(id, withoutEvents, exampleInput({ ...examplesOf('facebook')[0]!, event: { eventName } })),
      {
        skipped: 'eventNotSupported',
      },
    )
})
