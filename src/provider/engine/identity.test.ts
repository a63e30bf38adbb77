import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { asKnown, countryCodeLower, genderLetter, phoneDigits, stateCode } from '#provider/form/normalise.ts'
import { personFields, personOf } from '#provider/form/person.ts'
import { hashed, plain, plainFields } from '#provider/form/userRule.ts'
import { identityOf, resolve } from './identity.ts'

test('values are hashed as the page of the vendor shows it', () => {
  const rules = { em: hashed('email'), ph: hashed('phone', phoneDigits), fn: hashed('firstName') }
  const user = resolve(
    rules,
    identityOf({ email: 'John_Smith@gmail.com', phone: '1 (650)555-1212', firstName: 'Mary' }),
  )
  // https://developers.facebook.com/documentation/ads-commerce/conversions-api/parameters/customer-information-parameters
  assert.deepEqual(user, {
    em: '62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f',
    ph: 'e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176',
    fn: '6915771be1c5aa0c886870b6951b03d7eafc121fea0e80a5ea83beb7c449f4ec',
  })
  assert.deepEqual(resolve({ fn: hashed('firstName') }, identityOf({ firstName: 'Valéry' })), {
    fn: '08e1996b5dd49e62a4b4c010d44e4345592a863bb9f8e3976219bac29417149c',
  })
})

test('what is 64 hex characters already is not hashed again', () => {
  const digest = '62A14E44F765419D10FEA99367361A727C12365E2520F32218D505ED9AA0F62F'
  const rules = { em: hashed('email'), ge: hashed('gender', genderLetter), plain: plain('email', asKnown) }
  const user = resolve(rules, identityOf({ email: ` ${digest}`, gender: digest }))
  assert.deepEqual(user, { em: digest.toLowerCase(), ge: digest.toLowerCase(), plain: digest })
})

test('a missing value that was written as a text, or hashed, is none', () => {
  const rules = { em: hashed('email'), ln: hashed('lastName'), id: plain('anonymousId'), fn: plain('firstName') }
  for (const text of ['null', ' undefined', 'N/A', 'unknown', '[object Object]'])
    assert.deepEqual(resolve(rules, identityOf({ email: text, lastName: text, userId: text, firstName: text })), {})
  const ofNothing = createHash('sha256').update('').digest('hex')
  const ofNull = createHash('sha256').update('null').digest('hex').toUpperCase()
  assert.deepEqual(
    resolve({ em: hashed('email'), ln: hashed('lastName') }, identityOf({ email: ofNothing, lastName: ofNull })),
    {},
  )
})

test('a digest of another hash is left out and never hashed again', () => {
  const rules = { em: hashed('email'), fn: hashed('firstName'), ph: hashed('phone'), id: hashed('anyStableId') }
  const md5 = 'd'.repeat(32)
  const user = resolve(rules, identityOf({ email: md5, firstName: 'b'.repeat(40), phone: md5, userId: md5 }))
  // An id can look like a digest without being one.
  assert.deepEqual(user, { id: createHash('sha256').update(md5).digest('hex') })
})

test('a phone number is one of the country of the person, else of where the person is', () => {
  const rules = { ph: plain('phone', phoneDigits) }
  const phone = '0171 1234567'
  assert.deepEqual(resolve(rules, identityOf({ phone, country: 'Germany' })), { ph: '491711234567' })
  assert.deepEqual(resolve(rules, identityOf({ phone, phoneCountry: 'DE' })), { ph: '491711234567' })
  assert.deepEqual(resolve(rules, identityOf({ phone, country: 'US', phoneCountry: 'DE' })), {})
  assert.deepEqual(resolve(rules, identityOf({ phone })), {})
})

test('fields by which the person is not known are absent', () => {
  const rules = { em: hashed('email'), ip: plain('ip'), st: plain('state', stateCode), id: plain('anonymousId') }
  assert.deepEqual(resolve(rules, identityOf({ email: 'no address', userId: '  ', state: '-' })), {})
  assert.deepEqual(resolve(rules, identityOf({ ip: 7 as unknown as string })), {})
})

test('a plain value goes as it is, a rule sees the rest of the person', () => {
  const rules = { ua: plain('userAgent'), st: plain('state', stateCode), country: plain('country', countryCodeLower) }
  assert.deepEqual(resolve(rules, identityOf({ userAgent: 'Mozilla/5.0 (X)', state: 'Texas', country: 'US' })), {
    ua: 'Mozilla/5.0 (X)',
    st: 'tx',
    country: 'us',
  })
})

test('several channels that ask by the same rule cost one normalisation', () => {
  let asked = 0
  const counting = (raw: string) => {
    asked++
    return raw
  }
  const identity = identityOf({ email: 'a@b.c' })
  const first = resolve({ em: hashed('email', counting) }, identity)
  const second = resolve({ hashed_email: hashed('email', counting) }, identity)
  assert.equal(first.em, second.hashed_email)
  assert.equal(asked, 1)
  assert.equal(resolve({ em: plain('email', counting) }, identity).em, 'a@b.c')
  assert.equal(asked, 2)
})

test('an event says userEmail and the like, at the top before data', () => {
  const event = { eventName: 'Lead', eventId: 'e', timestamp: 1, userEmail: 'top@b.c', ip: '1.2.3.4' }
  const data = { userEmail: 'data@b.c', userPhone: '123', userZip: 5 as unknown as string }
  assert.deepEqual(personOf({ ...event, data }), { email: 'top@b.c', phone: '123', ip: '1.2.3.4' })
  assert.ok(personFields.includes('userDateOfBirth'))
})

test('a vendor may want another hash, and what is hashed by it already goes as it is', () => {
  const of = (email: string) =>
    resolve({ one: hashed('email', undefined, 'sha1'), five: hashed('email', undefined, 'md5') }, identityOf({ email }))
  assert.deepEqual(of(' Ada@Example.com'), {
    one: createHash('sha1').update('ada@example.com').digest('hex'),
    five: createHash('md5').update('ada@example.com').digest('hex'),
  })
  assert.deepEqual(of('A'.repeat(40)), { one: 'a'.repeat(40) })
  assert.deepEqual(of('B'.repeat(64)), { one: 'b'.repeat(64) })
  assert.deepEqual(of('C'.repeat(32)), { five: 'c'.repeat(32) })
})

test('one rule is one object, so that a person is hashed once for all vendors that ask alike', () => {
  assert.equal(hashed('email'), hashed('email'))
  assert.notEqual(hashed('email'), hashed('email', undefined, 'md5'))
  assert.notEqual(hashed('email'), plain('email'))
  let asked = 0
  const counted = () => String(++asked)
  const identity = identityOf({ email: 'a@b.example' })
  for (const rules of [{ a: hashed('email', counted) }, { b: hashed('email', counted) }]) resolve(rules, identity)
  assert.equal(asked, 1)
})

test('to a customer’s own system a person goes as known', () => {
  assert.deepEqual(resolve(plainFields, identityOf({ email: 'Ada@Example.com', userId: 'u', ip: '1.2.3.4' })), {
    email: 'Ada@Example.com',
    userId: 'u',
  })
})
