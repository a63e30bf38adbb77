import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TagEvent } from '#contract/event.ts'
import { compileCaptures } from './capture.ts'
import { isNamed, learn, named, type Profile, saidIn } from './profile.ts'

const captures = compileCaptures([{ query: 'fbclid', cookie: '_fbc' }, { cookie: '_fbp' }, { cookie: '_ga_*' }])
const at = Date.UTC(2026, 10, 20)
const anEvent = (more: Record<string, unknown> = {}) =>
  ({ eventName: 'PageView', eventId: 'e1', timestamp: at, ...more }) as TagEvent
const said = (more: Record<string, unknown>) => saidIn(anEvent(more), captures)
const learned = (more: Record<string, unknown>, before?: Profile, when = at) => learn(before, said(more), { at: when })

test('standard keys are read at the top of an event, in data and in storage.kv, in this order', () => {
  const { keys } = said({
    userEmail: ' jane@example.com ',
    data: { userEmail: 'other@example.com', userPhone: '+49 151 1', userZip: 12345 },
    storage: { kv: { email: 'third@example.com', phone: '1', city: 'Bonn' } },
  })
  assert.deepEqual(keys, { email: 'jane@example.com', phone: '+49 151 1', zip: '12345', city: 'Bonn' })
})

test('what is no text is no key: objects, blanks, and texts longer than a key can be', () => {
  const { keys } = said({ userEmail: {}, userPhone: '  ', userCity: 'x'.repeat(501), userState: true, data: null })
  assert.deepEqual(keys, {})
})

test('other keys of storage.kv are custom keys, with the value they came with', () => {
  const { custom } = said({
    storage: { kv: { tier: 'gold', points: 7, email: 'a@b.de', gone: null, much: 'x'.repeat(2_000) } },
  })
  assert.deepEqual(custom, { tier: 'gold', points: 7 })
})

test('captures come from storage.data below any package, and click ids from the query of the page', () => {
  const { captured } = said({
    pageUrl: 'https://shop.example/?fbclid=fromUrl&utm_source=x#top',
    search: '?fbclid=fromSearch',
    storage: { data: { facebook: { _fbp: 'fb.1.2.3', secret: 'x' }, ga: { _ga_ABC: 'GS1.1.9', _ga_: 'no', n: 3 } } },
  })
  assert.deepEqual(captured, { fbclid: 'fromSearch', _fbp: 'fb.1.2.3', _ga_ABC: 'GS1.1.9' })
})

test('a person of whom nothing is known has no profile', () => {
  assert.equal(learned({}), undefined)
})

test('a captured value keeps the time when it was first seen, a new value gets its own', () => {
  const first = learned({ search: '?fbclid=a' })
  const again = learned({ search: '?fbclid=a' }, first, at + 60_000)
  const other = learned({ search: '?fbclid=b' }, again, at + 120_000)
  const late = learned({ search: '?fbclid=c' }, other, at + 60_000)
  assert.deepEqual(first?.captured.fbclid, { value: 'a', at })
  assert.equal(again, first)
  assert.deepEqual(other?.captured.fbclid, { value: 'b', at: at + 120_000 })
  assert.deepEqual(
    late?.captured.fbclid,
    { value: 'b', at: at + 120_000 },
    'an event that comes late changes nothing newer',
  )
})

test('an event that says nothing new leaves the profile as it is; after an hour it says that the person was seen', () => {
  const before = learned({ userEmail: 'jane@example.com' })
  assert.equal(learned({ userEmail: 'jane@example.com' }, before, at + 3_599_999), before)
  assert.equal(learned({ userEmail: 'jane@example.com' }, before, at + 3_600_000)?.seenAt, at + 3_600_000)
})

test('the place is where the browser was last', () => {
  const german = learn(undefined, said({}), { at, place: { country: 'DE' } })
  const unknown = learn(german, said({}), { at, place: {} })
  const french = learn(german, said({}), { at, place: { country: 'FR', region: 'FR-75' } })
  assert.deepEqual(german?.place, { country: 'DE' })
  assert.equal(unknown, german)
  assert.deepEqual(french?.place, { country: 'FR', region: 'FR-75' })
})

test('a user is known by the e-mails it claims and by those that are confirmed for it, each once, and the newest eight', () => {
  const naming = (key: string, isConfirmed = false) => ({ key, isClaimed: true, isConfirmed })
  const profile = learned({ userEmail: 'a@b.de' })!
  const claiming = named(profile, naming('e1'))
  assert.deepEqual([claiming.claims, claiming.confirmed, isNamed(claiming, naming('e1'))], [['e1'], undefined, true])
  assert.equal(isNamed(claiming, naming('e1', true)), false)
  const confirmed = named(claiming, naming('e1', true))
  assert.deepEqual([confirmed.claims, confirmed.confirmed], [['e1'], ['e1']])
  assert.deepEqual(named(profile, { key: 'e1', isClaimed: false, isConfirmed: true }).claims, undefined)
  const many = Array.from({ length: 10 }, (_, n) => `e${n}`).reduce((each, key) => named(each, naming(key)), profile)
  assert.deepEqual(many.claims, ['e2', 'e3', 'e4', 'e5', 'e6', 'e7', 'e8', 'e9'])
  assert.deepEqual(learned({ userPhone: '1' }, confirmed)?.claims, ['e1'])
})

test('a profile stays bounded and learns the same event once, whatever is sent', () => {
  const names = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'email', 'fbclid', '_ga_x'))
  const storage = fc.record({
    kv: fc.oneof(fc.dictionary(names, fc.jsonValue()), fc.jsonValue()),
    data: fc.oneof(fc.dictionary(names, fc.dictionary(names, fc.string())), fc.jsonValue()),
  })
  const bodies = fc
    .record({ storage, userEmail: fc.jsonValue(), search: fc.jsonValue(), data: fc.jsonValue() })
    .map((body) => JSON.parse(JSON.stringify(body))) // as it is read back: JSON writes -0 as 0
  fc.assert(
    fc.property(bodies, bodies, (one, other) => {
      const first = learned(one)
      assert.equal(learned(one, first), first)
      const both = learned(other, first)
      assert.ok(Object.keys(both?.custom ?? {}).length <= 100)
      assert.deepEqual(JSON.parse(JSON.stringify(both ?? null)), both ?? null)
      assert.equal(Object.getPrototypeOf(both?.custom ?? {}), Object.prototype)
    }),
  )
})

test('however many values are captured over time, a hundred are kept: the newest', () => {
  let profile: Profile | undefined
  for (let number = 0; number < 150; number++)
    profile = learned({ storage: { data: { ga: { [`_ga_${number}`]: 'v' } } } }, profile, at + number)
  assert.equal(Object.keys(profile!.captured).length, 100)
  assert.ok(profile!.captured._ga_149 && !profile!.captured._ga_49)
})

test('of what came by /user or /data all that stands in data is keys, and package::key a capture', () => {
  const data = {
    email: ' jane@example.com ',
    tier: 'gold',
    'facebook::_fbp': 'fb.1.2.3',
    'ga::_ga_X': 7,
    'x::other': 'v',
  }
  const told = saidIn(anEvent({ data, search: '?fbclid=click' }), captures, 'user')
  assert.deepEqual(told.keys, { email: 'jane@example.com' })
  assert.deepEqual(told.custom, { tier: 'gold' })
  assert.deepEqual(told.captured, { fbclid: 'click', _fbp: 'fb.1.2.3' })
  assert.deepEqual(saidIn(anEvent({ data }), captures).custom, {})
})

test('whatever keys are sent, no prototype is reached', () => {
  const data = JSON.parse('{"__proto__":{"polluted":1},"facebook::__proto__":"x","constructor":"y"}')
  const told = saidIn(anEvent({ data }), captures, 'user')
  assert.equal(Object.getPrototypeOf(told.custom), Object.prototype)
  assert.equal((told.custom as { polluted?: number }).polluted, undefined)
  assert.deepEqual(told.captured, {})
})

test('a consent is learnt as it was given last, and one that is given again changes nothing', () => {
  const nothing = said({})
  const yes = { at, consent: { all: true } }
  const agreed = learn(undefined, nothing, { at, consent: yes })
  assert.deepEqual(agreed?.consent, yes)
  assert.equal(learn(agreed, nothing, { at: at + 60_000, consent: { ...yes, at: at + 60_000 } }), agreed)
  const refused = learn(agreed, nothing, { at, consent: { at: at + 1, consent: { all: false } } })
  assert.deepEqual(refused?.consent, { at: at + 1, consent: { all: false } })
  assert.equal(learn(refused, nothing, { at, consent: yes }), refused)
})

test('null in what came by /user or /data forgets a key, and in no event', () => {
  const known = learned({ userEmail: 'a@b.de', storage: { kv: { tier: 'gold', city: 'Bonn' } } })!
  const findable: Profile = { ...known, claims: ['e1'], confirmed: ['e1'] }
  const gone = { data: { email: null, tier: null, none: null, points: 7 }, storage: { kv: { city: null } } }
  const forgot = learn(findable, saidIn(anEvent(gone), captures, 'user'), { at })!
  assert.deepEqual(
    [forgot.keys, forgot.custom, forgot.claims, forgot.confirmed],
    [{ city: 'Bonn' }, { points: 7 }, undefined, undefined],
  )
  const again = saidIn(anEvent({ data: { tier: null } }), captures, 'user')
  assert.equal(learn(forgot, again, { at }), forgot)
  assert.equal(learn(findable, saidIn(anEvent(gone), captures), { at }), findable)
  assert.equal(learn(undefined, again, { at }), undefined)
})
