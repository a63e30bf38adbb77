import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TagEvent } from '#contract/event.ts'
import { standardKeys } from '#contract/standardKeys.ts'
import { cases } from '../../test/fake/cases.ts'
import { compileCaptureRules } from './captureRules.ts'
import { addEmail, hasEmail, noUserFacts, type Profile, readEmail, readUserFacts, updateProfile } from './profile.ts'

const captures = compileCaptureRules([{ query: 'fbclid', cookie: '_fbc' }, { cookie: '_fbp' }, { cookie: '_ga_*' }])
const at = Date.UTC(2026, 10, 20)
const anEvent = (more: Record<string, unknown> = {}) =>
  ({ eventName: 'PageView', eventId: 'e1', timestamp: at, ...more }) as TagEvent
const factsOf = (more: Record<string, unknown>) => readUserFacts(anEvent(more), captures)
const profileAfter = (more: Record<string, unknown>, before?: Profile, when = at) =>
  updateProfile(before, factsOf(more), { at: when })

test('standard keys are read at the top of an event, in data and in storage.kv, in this order', () => {
  const { keys } = factsOf({
    userEmail: ' jane@example.com ',
    data: { userEmail: 'other@example.com', userPhone: '+49 151 1', userZip: 12345 },
    storage: { kv: { email: 'third@example.com', phone: '1', city: 'Bonn' } },
  })
  assert.deepEqual(keys, { email: 'jane@example.com', phone: '+49 151 1', zip: '12345', city: 'Bonn' })
})

test('objects, blanks and texts of more than 500 characters are not stored as standard keys', () => {
  const { keys } = factsOf({ userEmail: {}, userPhone: '  ', userCity: 'x'.repeat(501), userState: true, data: null })
  assert.deepEqual(keys, {})
})

test('the shop’s own id of the customer is a standard key, and a placeholder is none', () => {
  assert.deepEqual(factsOf({ userCustomerId: ' 4711 ' }).keys, { customerId: '4711' })
  const { keys, custom } = factsOf({
    userCustomerId: 'null',
    data: { userCustomerId: 42 },
    storage: { kv: { customerId: 7 } },
  })
  assert.deepEqual([keys, custom], [{ customerId: '42' }, {}])
  assert.deepEqual(factsOf({ userCustomerId: '[object Object]', data: { userCustomerId: 0 } }).keys, {})
})

test('the e-mail that is read alone is the one among the user facts', () => {
  const text = fc.constantFrom('a@x.de', ' b@x.de ', '', ' ', 7, null, true, {}, 'x'.repeat(501), undefined)
  const input = fc.record({ userEmail: text, data: fc.record({ userEmail: text }), kv: fc.record({ email: text }) })
  fc.assert(
    fc.property(input, ({ userEmail, data, kv }) => {
      const more = { userEmail, data, storage: { kv } }
      assert.equal(readEmail(anEvent(more)), factsOf(more).keys.email)
    }),
    { numRuns: cases(500) },
  )
})

test('other keys of storage.kv are custom keys with their values unchanged', () => {
  const { custom } = factsOf({
    storage: { kv: { tier: 'gold', points: 7, email: 'a@b.de', gone: null, much: 'x'.repeat(2_000) } },
  })
  assert.deepEqual(custom, { tier: 'gold', points: 7 })
})

test('captures come from storage.data below any package, and click ids from the query of the page', () => {
  const { captured } = factsOf({
    pageUrl: 'https://shop.example/?fbclid=fromUrl&utm_source=x#top',
    search: '?fbclid=fromSearch',
    storage: { data: { facebook: { _fbp: 'fb.1.2.3', secret: 'x' }, ga: { _ga_ABC: 'GS1.1.9', _ga_: 'no', n: 3 } } },
  })
  assert.deepEqual(captured, { fbclid: 'fromSearch', _fbp: 'fb.1.2.3', _ga_ABC: 'GS1.1.9' })
})

test('a user without data has no profile', () => {
  assert.equal(profileAfter({}), undefined)
})

test('a captured value keeps the time when it was first seen, and a new value gets the time of its event', () => {
  const first = profileAfter({ search: '?fbclid=a' })
  const again = profileAfter({ search: '?fbclid=a' }, first, at + 60_000)
  const other = profileAfter({ search: '?fbclid=b' }, again, at + 120_000)
  const late = profileAfter({ search: '?fbclid=c' }, other, at + 60_000)
  assert.deepEqual(first?.captured.fbclid, { value: 'a', at })
  assert.equal(again, first)
  assert.deepEqual(other?.captured.fbclid, { value: 'b', at: at + 120_000 })
  assert.deepEqual(
    late?.captured.fbclid,
    { value: 'b', at: at + 120_000 },
    'a late event does not replace a newer value',
  )
})

test('an event without news does not change the profile, except for seenAt after an hour', () => {
  const before = profileAfter({ userEmail: 'jane@example.com' })
  assert.equal(profileAfter({ userEmail: 'jane@example.com' }, before, at + 3_599_999), before)
  assert.equal(profileAfter({ userEmail: 'jane@example.com' }, before, at + 3_600_000)?.seenAt, at + 3_600_000)
})

test('the location is the last known one of the browser', () => {
  const german = updateProfile(undefined, factsOf({}), { at, place: { country: 'DE' } })
  const unknown = updateProfile(german, factsOf({}), { at, place: {} })
  const french = updateProfile(german, factsOf({}), { at, place: { country: 'FR', region: 'FR-75' } })
  assert.deepEqual(german?.place, { country: 'DE' })
  assert.equal(unknown, german)
  assert.deepEqual(french?.place, { country: 'FR', region: 'FR-75' })
})

test('a profile holds the claimed and the confirmed e-mails, each once, and the newest eight of each', () => {
  const association = (key: string, isConfirmed = false) => ({ key, isClaimed: true, isConfirmed })
  const profile = profileAfter({ userEmail: 'a@b.de' })!
  const claiming = addEmail(profile, association('e1'))
  assert.deepEqual(
    [claiming.claims, claiming.confirmed, hasEmail(claiming, association('e1'))],
    [['e1'], undefined, true],
  )
  assert.equal(hasEmail(claiming, association('e1', true)), false)
  const confirmed = addEmail(claiming, association('e1', true))
  assert.deepEqual([confirmed.claims, confirmed.confirmed], [['e1'], ['e1']])
  assert.deepEqual(addEmail(profile, { key: 'e1', isClaimed: false, isConfirmed: true }).claims, undefined)
  const many = Array.from({ length: 10 }, (_, n) => `e${n}`).reduce(
    (each, key) => addEmail(each, association(key)),
    profile,
  )
  assert.deepEqual(many.claims, ['e2', 'e3', 'e4', 'e5', 'e6', 'e7', 'e8', 'e9'])
  assert.deepEqual(profileAfter({ userPhone: '1' }, confirmed)?.claims, ['e1'])
})

test('a profile stays bounded, and the same event changes it only once', () => {
  const names = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'email', 'fbclid', '_ga_x'))
  const storage = fc.record({
    kv: fc.oneof(fc.dictionary(names, fc.jsonValue()), fc.jsonValue()),
    data: fc.oneof(fc.dictionary(names, fc.dictionary(names, fc.string())), fc.jsonValue()),
  })
  const bodies = fc
    .record({ storage, userEmail: fc.jsonValue(), search: fc.jsonValue(), data: fc.jsonValue() })
    .map((body) => JSON.parse(JSON.stringify(body))) // as it is read back: JSON turns -0 into 0
  fc.assert(
    fc.property(bodies, bodies, (one, other) => {
      const first = profileAfter(one)
      assert.equal(profileAfter(one, first), first)
      const both = profileAfter(other, first)
      assert.ok(Object.keys(both?.custom ?? {}).length <= 100)
      assert.deepEqual(JSON.parse(JSON.stringify(both ?? null)), both ?? null)
      assert.equal(Object.getPrototypeOf(both?.custom ?? {}), Object.prototype)
    }),
  )
})

test('a profile keeps the newest hundred captured values', () => {
  let profile: Profile | undefined
  for (let number = 0; number < 150; number++)
    profile = profileAfter({ storage: { data: { ga: { [`_ga_${number}`]: 'v' } } } }, profile, at + number)
  assert.equal(Object.keys(profile!.captured).length, 100)
  assert.ok(profile!.captured._ga_149 && !profile!.captured._ga_49)
})

test('in a call of /user or /data every entry of data is a key, and package::key is a capture', () => {
  const data = {
    email: ' jane@example.com ',
    tier: 'gold',
    'facebook::_fbp': 'fb.1.2.3',
    'ga::_ga_X': 7,
    'x::other': 'v',
  }
  const facts = readUserFacts(anEvent({ data, search: '?fbclid=click' }), captures, 'user')
  assert.deepEqual(facts.keys, { email: 'jane@example.com' })
  assert.deepEqual(facts.custom, { tier: 'gold' })
  assert.deepEqual(facts.captured, { fbclid: 'click', _fbp: 'fb.1.2.3' })
  assert.deepEqual(readUserFacts(anEvent({ data }), captures).custom, {})
})

test('no key changes a prototype', () => {
  const data = JSON.parse('{"__proto__":{"polluted":1},"facebook::__proto__":"x","constructor":"y"}')
  const facts = readUserFacts(anEvent({ data }), captures, 'user')
  assert.equal(Object.getPrototypeOf(facts.custom), Object.prototype)
  assert.equal((facts.custom as { polluted?: number }).polluted, undefined)
  assert.deepEqual(facts.captured, {})
})

test('the latest consent is stored, and an equal consent changes nothing', () => {
  const nothing = factsOf({})
  const yes = { at, consent: { all: true } }
  const agreed = updateProfile(undefined, nothing, { at, consent: yes })
  assert.deepEqual(agreed?.consent, yes)
  assert.equal(updateProfile(agreed, nothing, { at: at + 60_000, consent: { ...yes, at: at + 60_000 } }), agreed)
  const refused = updateProfile(agreed, nothing, { at, consent: { at: at + 1, consent: { all: false } } })
  assert.deepEqual(refused?.consent, { at: at + 1, consent: { all: false } })
  assert.equal(updateProfile(refused, nothing, { at, consent: yes }), refused)
})

test('null deletes a key in a call of /user or /data, and not in an event', () => {
  const known = profileAfter({ userEmail: 'a@b.de', storage: { kv: { tier: 'gold', city: 'Bonn' } } })!
  const findable: Profile = { ...known, claims: ['e1'], confirmed: ['e1'] }
  const removing = { data: { email: null, tier: null, none: null, points: 7 }, storage: { kv: { city: null } } }
  const forgot = updateProfile(findable, readUserFacts(anEvent(removing), captures, 'user'), { at })!
  assert.deepEqual(
    [forgot.keys, forgot.custom, forgot.claims, forgot.confirmed],
    [{ city: 'Bonn' }, { points: 7 }, undefined, undefined],
  )
  const again = readUserFacts(anEvent({ data: { tier: null } }), captures, 'user')
  assert.equal(updateProfile(forgot, again, { at }), forgot)
  assert.equal(updateProfile(findable, readUserFacts(anEvent(removing), captures), { at }), findable)
  assert.equal(updateProfile(undefined, again, { at }), undefined)
})

test('custom keys have 7.5 KiB, captures 5 and standard keys 3, so that a few bytes of a stranger never write more; the newest are kept', () => {
  const longNames = Object.fromEntries(standardKeys.map((key) => [key, 'ü'.repeat(500)]))
  const facts = (name: string, value: unknown) => ({ keys: {}, custom: { [name]: value }, captured: {} })
  let profile: Profile | undefined
  for (let n = 0; n < 100; n++)
    profile = updateProfile(
      profile,
      readUserFacts(anEvent({ storage: { kv: { [`key ${n}`]: 'ü'.repeat(900) } } }), captures),
      { at },
    )
  const { custom } = profile!
  assert.ok(Buffer.byteLength(JSON.stringify(custom)) <= 7.5 * 1024)
  assert.deepEqual([Object.keys(custom).length, Object.keys(custom).at(-1)], [4, 'key 99'])
  assert.deepEqual(factsOf({ storage: { kv: { ['n'.repeat(129)]: 1, ['n'.repeat(128)]: 1 } } }).custom, {
    ['n'.repeat(128)]: 1,
  })
  for (let n = 0; n < 100; n++)
    profile = updateProfile(profile, { ...facts('a', 1), captured: { [`c${n}`]: 'x'.repeat(1_000) } }, { at })
  const { email: _, ...others } = longNames
  profile = updateProfile(profile, { ...noUserFacts, keys: { ...others, email: 'a@example.com' } }, { at })
  assert.equal(profile?.keys.email, 'a@example.com')
  assert.ok(Buffer.byteLength(JSON.stringify(profile)) < 17 * 1024)
})
