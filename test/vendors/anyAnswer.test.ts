import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Keyring } from '#account/keyring.ts'
import { statuses } from '#contract/deliveryStatus.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import { type AttemptDeps, attempt } from '#delivery/attempt.ts'
import { openChannel } from '#delivery/channel.ts'
import { defaultRetention } from '#journal/retentionPolicy.ts'
import { silentLog } from '#kit/log.ts'
import { unlimitedIntake } from '#limit/intakeRate.ts'
import { exampleInput } from '#provider/engine/exampleRequests.ts'
import { mostMessage } from '#provider/engine/redaction.ts'
import type { SendResult } from '#provider/engine/send.ts'
import { openTokenCache } from '#provider/engine/tokenCache.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { unknownConsent } from '#provider/form/consentSignals.ts'
import type { ProviderExample } from '#provider/form/example.ts'
import type { Provider } from '#provider/form/provider.ts'
import { examplesOf } from '#providers/examples/all.ts'
import { providers } from '#providers/index.ts'
import { createSnapshots } from '#script/snapshot.ts'
import type { Stream } from '#stream/stream.ts'
import { noCaptureRules } from '#user/captureRules.ts'
import type { Profiles } from '#user/profiles.ts'
import { cases } from '../fake/cases.ts'
import { turnedClock } from '../fake/clock.ts'
import { aDelivery } from '../fake/journal.ts'
import { aScript, aTag } from '../fake/tag.ts'

const eventsAtOnce = 3
/** A token, its renewal, and every step for each event and for each half of a batch. */
const mostRequests = 40
const clock = turnedClock()
const now = clock.now()
const sixHoursMs = 6 * 3_600_000

/** Values that a vendor, or an attacker in its place, may put anywhere. */
const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, true, -1, 0, 1e308, Number.MAX_SAFE_INTEGER, '', ' ', '\u0000', '😀', [], {}, [[]], [{}], [null]],
    ...['https://evil.example/next', '//evil.example/next', '@evil.example', '../../evil', 'a\r\nx-evil: 1', '{{x}}'],
    ...['constructor', '__proto__', 'a'.repeat(10_000), Array.from({ length: 2_000 }, (_, n) => ({ index: n }))],
  ),
  fc.jsonValue({ maxDepth: 3 }),
)
const hostileHeaders = fc.dictionary(
  fc.constantFrom('retry-after', 'location', 'x-ratelimit-reset', 'content-type', 'x-request-id', 'date'),
  fc.constantFrom(
    '0',
    '-1',
    '1e9',
    '99999999999999999999',
    'soon',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'https://evil.example/',
  ),
)

/** The value with hostile values in some places. */
const spoilt = (value: unknown): fc.Arbitrary<unknown> => {
  if (Array.isArray(value)) return fc.oneof({ weight: 4, arbitrary: fc.tuple(...value.map(spoilt)) }, hostile)
  if (typeof value !== 'object' || value === null)
    return fc.oneof({ weight: 3, arbitrary: fc.constant(value) }, hostile)
  const members = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, spoilt(each)]))
  return fc.oneof({ weight: 4, arbitrary: fc.record(members, { requiredKeys: [] }) }, hostile)
}

/** The members that a provider's rules read, each with a hostile value. */
function ruled({ responseRules = [], errorMessage }: Provider): fc.Arbitrary<unknown> {
  const paths = [...responseRules.flatMap(({ path }) => path ?? []), ...[errorMessage ?? []].flat()].filter(
    (path): path is string => typeof path === 'string',
  )
  const at = (path: string, value: unknown) =>
    path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
  const one =
    paths.length > 0 ? fc.tuple(fc.constantFrom(...paths), hostile).map(([path, value]) => at(path, value)) : hostile
  return fc.array(one, { minLength: 1, maxLength: 3 }).map((parts) => Object.assign({}, ...parts.map((part) => part)))
}

function anyAnswer(provider: Provider, examples: readonly ProviderExample[]): fc.Arbitrary<SendResult> {
  const replies = examples.flatMap((example) => (example.replies ?? []).map(({ json }) => json ?? {}))
  const json = fc.oneof(...replies.slice(0, 6).map(spoilt), ruled(provider), hostile)
  const text = fc.oneof(
    { weight: 6, arbitrary: json.map((value) => JSON.stringify(value) ?? '') },
    fc.constantFrom('', 'OK', '<html>', '{"a":', '{"__proto__":{"polluted":1}}', `${'['.repeat(5_000)}`, '\ufeff{}'),
  )
  const status = fc.constantFrom(200, 200, 200, 201, 204, 207, 301, 400, 401, 403, 404, 409, 413, 429, 500, 503, 599)
  return fc.record({ status, headers: hostileHeaders, body: text, durationMs: fc.constant(1) })
}

function openDeps(id: ProviderId, example: ProviderExample, answers: readonly SendResult[]) {
  const sent: WireRequest[] = []
  const input = exampleInput(example)
  const { identity, custom = {}, captured, kind, session, consent = unknownConsent } = input
  const user = example.user ?? {}
  const deps: AttemptDeps = {
    environment: 'production',
    keep: { ...defaultRetention, bodies: 'none' },
    clock,
    log: silentLog,
    snapshots: createSnapshots([aTag([aScript('scr_1', { providerId: id })])]),
    providers,
    random: () => 0.5,
    brand: 'Service',
    tagUrl: (tagId) => `https://aglet.example/t/${tagId}`,
    runCode: async () => ({ value: null, logs: [] }),
    stream: {} as Stream,
    intakeRate: unlimitedIntake,
    profiles: {} as Profiles,
    keys: {} as Keyring,
    captures: () => noCaptureRules,
    events: {
      open: () => assert.fail('an attempt opens no record'),
      at: () => assert.fail('an attempt opens no record'),
      expect: () => {},
      keepDecision: () => {},
      outgoing: async () => ({
        event: { ...input.event, timestamp: now },
        ...{ person: user, identity, custom, captured, consent },
        ...(kind && { kind }),
        ...(session && { session }),
      }),
    },
    plaintexts: async () => input.secrets as Record<string, string>,
    tokens: openTokenCache({ clock, send: (request, host) => deps.send(request, host) }),
    async send(request) {
      sent.push(request)
      return answers[(sent.length - 1) % answers.length]!
    },
  }
  return { deps, sent }
}

/** The hosts of an example's requests if the vendor answers correctly. */
const hostsOf = (examples: readonly ProviderExample[]) =>
  new Set(examples.flatMap(({ sends }) => ('skipped' in sends ? [] : sends.map(({ url }) => new URL(url).hostname))))

for (const id of Object.keys(providers) as ProviderId[]) {
  const provider = providers[id]!
  const examples = examplesOf(id).filter(
    ({ sends, testMode }) => !('skipped' in sends) && !testMode && sends.length > 0,
  )
  if (examples.length === 0) continue
  const hosts = hostsOf(examplesOf(id))

  test(`${id}: whatever the vendor answers, each delivery ends or waits, after few requests, to the vendor alone`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...examples),
        fc.array(anyAnswer(provider, examples), { minLength: 1, maxLength: 4 }),
        async (example, answers) => {
          const { deps, sent } = openDeps(id, example, answers)
          const deliveries = Array.from({ length: eventsAtOnce }, (_, n) =>
            aDelivery(`dlv_${n}`, 'scr_1', { providerId: id, receivedAt: now }),
          )
          const outcomes = await attempt(deliveries, openChannel('scr_1'), deps)
          assert.deepEqual(outcomes.map(({ deliveryId }) => deliveryId).sort(), ['dlv_0', 'dlv_1', 'dlv_2'])
          for (const outcome of outcomes) {
            assert.ok(statuses.includes(outcome.status), outcome.status)
            assert.ok(outcome.nextAt === undefined || (outcome.nextAt >= now && outcome.nextAt <= now + 4 * sixHoursMs))
            const { message } = outcome as { message?: string }
            assert.ok(message === undefined || message.length <= mostMessage)
          }
          assert.ok(sent.length <= mostRequests, `${sent.length} requests`)
          for (const { url, headers } of sent) {
            assert.ok(hosts.has(new URL(url).hostname), url)
            for (const value of Object.values(headers)) assert.doesNotMatch(value, /[\r\n]/)
          }
          assert.equal(({} as { polluted?: unknown }).polluted, undefined)
        },
      ),
      { numRuns: cases(100) },
    )
  })
}
