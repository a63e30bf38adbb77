import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ProviderId } from '#contract/providerIds.ts'
import type { StandardKey } from '#contract/standardKeys.ts'
import { buildRequests } from '#provider/engine/buildRequests.ts'
import { exampleInput } from '#provider/engine/exampleRequests.ts'
import { identityOf } from '#provider/engine/identity.ts'
import type { PersonKey, RawPerson } from '#provider/form/person.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { HashName, RuleKey, UserRule } from '#provider/form/userRule.ts'
import { anyCodePoint } from '../../test/fake/anyCodePoint.ts'
import { cases } from '../../test/fake/cases.ts'
import { examplesOf } from './examples/all.ts'
import { providers } from './index.ts'

const all = Object.entries(providers) as [string, Provider][]
const hashNames: readonly HashName[] = ['sha256', 'sha1', 'md5']
const digestOf = (text: string, hash: HashName = 'sha256') => createHash(hash).update(text).digest('hex')

/** The customer's own systems receive the known values unchanged. */
const own = new Set(['amazonEventBridge', 'amazonKinesis', 'eventSink', 'gcpPubSub', 'playground', 'webhook'])
const ids = (text: string) => new Set(text.split(' '))

/**
 * The form of a key that some vendors require, according to their pages. If the key is hashed, this is the form before
 * hashing.
 */
type KeyForm = { key: PersonKey; vendors: ReadonlySet<string>; isWellFormed: (text: string) => boolean }
const form = (key: PersonKey, vendors: string, pattern: RegExp | ((text: string) => boolean)): KeyForm => ({
  key,
  vendors: ids(vendors),
  isWellFormed: typeof pattern === 'function' ? pattern : (text) => pattern.test(text),
})
/** Without spaces, in lower case where it has one: some capital letters, such as 𝐀, have none. */
const isLowerWord = (text: string) => /^\S+$/.test(text) && text === text.toLowerCase()
const special: readonly KeyForm[] = [
  form('email', 'amazonAds', /^[a-z0-9.+-]+@[a-z0-9.-]+\.[a-z0-9-]+$/),
  form('email', 'bing reddit', /^[^\s@.+]+@[^\s@]+\.[^\s@]+$/),
  form(
    'email',
    'googleAdsClicks podscribe',
    /^(?:[^\s@.+]+@(?:gmail|googlemail)\.com|[^\s@]+@(?!g(?:oogle)?mail\.com$)[^\s@]+)$/,
  ),
  form('phone', 'amazonAds appLovin facebook openAiAds pinterest snapchat', /^[1-9]\d{6,14}$/),
  form('phone', 'nextdoor', /^\d{10}$/),
  form('gender', 'pinterest', /^[fmn]$/),
  form('gender', 'cleverTap facebook omnisend rokt snapchat', /^[fm]$/),
  form('dateOfBirth', 'pinterest rokt', /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/),
  form('dateOfBirth', 'emarsys nextdoor omnisend quora', /^(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/),
  form('country', 'facebook nextdoor pinterest snapchat', /^[a-z]{2}$/),
  form('country', 'amazonAds appLovin braze googleAdsClicks googleAnalytics4 impact linkedIn', /^[A-Z]{2}$/),
  form('country', 'openAiAds partnerize quora statsig yahooDsp', /^[A-Z]{2}$/),
  form('ip', 'adjust linkedIn singular vibe', isIPv4),
  form('firstName', 'amazonAds', /^[a-z0-9]+$/),
  form('lastName', 'amazonAds', /^[a-z0-9]+$/),
  form('firstName', 'facebook snapchat tiktok', isLowerWord),
  form('lastName', 'facebook snapchat tiktok', isLowerWord),
  form('city', 'facebook pinterest', /^[^\s\p{P}\p{S}]+$/u),
  form('state', 'facebook pinterest snapchat', /^[^\s\p{P}\p{S}]+$/u),
  form('zip', 'facebook pinterest', /^[^\s\p{Pd}]+$/u),
  form('zip', 'appLovin', /^\d{5}/),
]
const isText = (text: string) => text.trim() === text && text !== ''
const usual: Partial<Record<RuleKey, (text: string) => boolean>> = {
  email: (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) && text === text.toLowerCase(),
  phone: (text) => /^\+[1-9]\d{6,14}$/.test(text),
  ip: (text) => isIP(text) > 0,
}
const isWellFormed = (id: string, key: RuleKey, text: string): boolean =>
  (special.find((each) => each.key === key && each.vendors.has(id))?.isWellFormed ?? usual[key] ?? isText)(text)

const missing = ['', 'null', 'undefined', 'N/A', 'unknown', 'none', '[object Object]']
const ofNothing = new Set(missing.flatMap((text) => hashNames.map((hash) => digestOf(text.toLowerCase(), hash))))
const isDigest = (text: string) => /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i.test(text)

const valid: Record<StandardKey | 'ip', fc.Arbitrary<string>> = {
  customerId: fc.stringMatching(/^[A-Za-z0-9-]{2,20}$/),
  email: fc.oneof(fc.emailAddress(), fc.constantFrom(' Ada.Lovelace+x@GMail.com', 'ada@shop.test', 'unknown@shop.com')),
  phone: fc.constantFrom('+49 (0)170 1234567', '0171 1234567', '(650) 555-1212', '16505551212', '+1711234567', '12345'),
  firstName: fc.constantFrom('Ada', ' Jean-Luc ', "O'Neil", 'Søren  Å', 'null'),
  lastName: fc.constantFrom('Lovelace', 'von der Heide', 'Nullmeyer', 'N/A'),
  gender: fc.constantFrom('Female', 'm', 'x', 'unknown'),
  dateOfBirth: fc.constantFrom('1990-12-10', '31.12.1990', '12/31/1990', '10.12.1990', '1990-02-30', 'n/a'),
  city: fc.constantFrom('São Paulo', 'Bad Homburg v.d.H.', '--', 'Köln'),
  state: fc.constantFrom('California', 'US-NY', 'Nordrhein-Westfalen', 'none'),
  zip: fc.constantFrom('94107-1234', 'W1A 1AA', '50667', '2139'),
  country: fc.constantFrom('DE', 'usa', 'United Kingdom', 'Atlantis', 'FR'),
  ip: fc.constantFrom('81.2.69.142', '::ffff:81.2.69.142', '2001:db8::1', 'unknown', '1.2.3'),
}
const hashedBefore = fc
  .tuple(fc.constantFrom(...missing, 'ada@example.com'), fc.constantFrom(...hashNames), fc.boolean())
  .map(([text, hash, isUpper]) => (isUpper ? digestOf(text, hash).toUpperCase() : digestOf(text, hash)))
const noise = fc.oneof(fc.constantFrom(...missing), hashedBefore, fc.string({ maxLength: 30, unit: anyCodePoint }))
const anyPerson: fc.Arbitrary<RawPerson> = fc.record(
  {
    ...Object.fromEntries(
      Object.entries(valid).map(([key, text]) => [
        key,
        fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: noise }),
      ]),
    ),
    phoneCountry: fc.constantFrom('DE', 'US', 'GB'),
  },
  { requiredKeys: [] },
)

/**
 * Asserts that the value is a hash of the raw value or the sent digest, and never the hash of a missing value or of a
 * digest.
 */
function assertHashed(
  where: string,
  { key, normalise, hash }: UserRule,
  raw: string,
  person: RawPerson,
  value: string,
) {
  assert.match(value, hash === 'md5' ? /^[0-9a-f]{32}$/ : /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, where)
  assert.ok(!ofNothing.has(value), `${where} is the hash of a missing value`)
  if (value === raw.trim().toLowerCase()) return
  const normalised = normalise(raw, person)!
  assert.equal(value, digestOf(normalised, hash), where)
  assert.ok(key in usualIds || !isDigest(normalised), `${where} is the hash of a hash`)
}
const usualIds = { customerId: 1, anyStableId: 1, anonymousId: 1 }

for (const [id, { user }] of all)
  if (!own.has(id) && Object.keys(user).length > 0)
    test(`${id} gets of each key of a person nothing, or a value that is well formed`, () => {
      const property = fc.property(anyPerson, (person) => {
        const identity = identityOf(person)
        for (const [field, rule] of Object.entries(user)) {
          const value = identity.read(rule)
          if (value === undefined) continue
          const { key, hash } = rule
          const raw = person[(key === 'anyStableId' ? 'customerId' : key) as PersonKey] ?? ''
          const where = `${field} of ${JSON.stringify(raw)}`
          assert.ok(!missing.includes(value), `${where} is a placeholder`)
          if (hash) assertHashed(where, rule, raw, person, value)
          const known = hash ? rule.normalise(raw, person) : value
          if (!(hash && isDigest(raw.trim()))) assert.ok(isWellFormed(id, key, known!), `${where}: ${known}`)
        }
      })
      fc.assert(property, { numRuns: cases(300) })
    })

/** Criteo also accepts the SHA-256 of an e-mail address's MD5. */
const hashesTwice = new Set(['criteo'])

for (const [id, each] of all) {
  const example = examplesOf(id).find(({ sends, kind }) => !('skipped' in sends) && !kind)
  if (example && !own.has(id))
    test(`${id} puts no digest of a missing value and no digest of a digest into a request`, () => {
      const property = fc.property(anyPerson, (user) => {
        const { phoneCountry: _, ...keys } = user
        const built = buildRequests(id, each, exampleInput({ ...example, user: { ...example.user, ...keys } }))
        const sent = 'skipped' in built ? '' : JSON.stringify(built.requests)
        const digests = sent.match(/(?<![0-9a-f])(?:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{32})(?![0-9a-f])/g) ?? []
        const twice = new Set(digests.flatMap((digest) => hashNames.map((hash) => digestOf(digest, hash))))
        for (const digest of digests) {
          assert.ok(!ofNothing.has(digest), `${digest} is the hash of a missing value`)
          assert.ok(hashesTwice.has(id) || !twice.has(digest), `${digest} is the hash of a hash`)
        }
      })
      fc.assert(property, { numRuns: cases(100) })
    })
}

test('a provider with limited use of data tells the vendor so for a person who opted out, or does not send', () => {
  const limited = all.filter(([, { limitedUse }]) => limitedUse)
  assert.ok(limited.length > 5)
  for (const [id, provider] of limited)
    for (const { title: _, sends: __, ...example } of examplesOf(id as ProviderId)) {
      const bodies = (['granted', 'denied'] as const).map((advertising) => {
        const built = buildRequests(
          id,
          provider,
          exampleInput({ ...example, consent: { ...example.consent, advertising, adPersonalization: advertising } }),
        )
        return 'skipped' in built || built.requests.length === 0 ? undefined : JSON.stringify(built.requests)
      })
      const isAlwaysLimited = example.secrets?.FACEBOOK_LDU === '1'
      if (bodies[1] !== undefined && !isAlwaysLimited) assert.notEqual(bodies[0], bodies[1], id)
    }
})
