import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TagEvent } from '#contract/event.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { containsContact, rawContacts, redactContacts } from './contacts.ts'

const person = { email: 'Ada@Example.com', phone: '+1 (650) 555-1212' }
const contacts = rawContacts(person)!
const request = (body: string) => ({ method: 'POST', url: 'https://a.example/', headers: {}, body })

test('a raw e-mail or phone number is found in every way in which a request can hold it', () => {
  for (const text of [
    '{"em":"ada@example.com"}',
    'em=Ada%40Example.com',
    '{"ph":"+1 (650) 555-1212"}',
    'ph=%2B1+%28650%29+555-1212',
    'ph=%2B16505551212',
    '{"ph":"16505551212"}',
    '{"ph":"0016505551212"}',
  ])
    assert.ok(containsContact(request(text), contacts), text)
  assert.ok(containsContact({ ...request(''), url: 'https://a.example/?e=ada%40example.com' }, contacts))
  assert.ok(containsContact({ ...request(''), headers: { 'x-user': 'ada@example.com' } }, contacts))
})

test('a contact inside of base64 is found too, in either alphabet, with or without padding', () => {
  for (const encoding of ['base64', 'base64url'] as const)
    for (const lead of ['', 'x', 'xy']) {
      const inner = Buffer.from(`${lead}{"user":{"email":"ada@example.com"}}`).toString(encoding)
      assert.ok(containsContact(request(`{"Data":"${inner}"}`), contacts))
      assert.ok(containsContact(request(`{"Data":"${inner.replaceAll('=', '')}"}`), contacts))
    }
  const clean = Buffer.from('{"user":{"email":"bob@example.com"}}').toString('base64')
  assert.ok(!containsContact(request(`{"Data":"${clean}"}`), contacts))
})

/** Groups and separators in which shops and people write a number, with and without its country code. */
const spellings = [
  '+49 30 123 456 78',
  '+49 (0)30 12345678',
  '+49-30-1234-5678',
  '0049 30/12345678',
  '(030) 1234-5678',
  '030.123.456.78',
]

test('a phone number is found in any groups of digits, in a body, a form and an address', () => {
  const german = rawContacts({ phone: '+493012345678' })!
  for (const written of spellings)
    for (const text of [`{"note":"call ${written}"}`, `tel=${encodeURIComponent(written)}&x=1`, `tel=${written}`])
      assert.ok(containsContact(request(text), german), text)
  for (const text of ['{"at":1790123456780}', '{"price":"12.345.679"}', 'a3012345678', '1234 5678', '12345678'])
    assert.ok(!containsContact(request(text), german), text)
  const sentPlain = rawContacts({ phone: '+493012345678' }, { ph: plain('phone') })
  assert.equal(sentPlain, undefined)
})

test('a phone number in any groups of digits is struck out of the address of the page', () => {
  const german = rawContacts({ phone: '+493012345678' })!
  for (const written of spellings) {
    const event: TagEvent = {
      eventName: 'PageView',
      eventId: 'e',
      timestamp: 1,
      pageUrl: `https://a.example/?tel=${encodeURIComponent(written)}&x=1`,
      search: `?q=${written}&page=2`,
    }
    const { pageUrl, search } = redactContacts(event, german)
    assert.equal(pageUrl, 'https://a.example/?tel=redacted&x=1', written)
    assert.equal(search, '?q=redacted&page=2', written)
  }
})

test('hashes, parts of longer numbers and what nobody knows are no contacts', () => {
  for (const text of [
    '{"em":"b5fc85e5"}',
    '{"id":"a16505551212"}',
    '{"id":"165055512123"}',
    '{"em":"bob@example.com"}',
  ])
    assert.ok(!containsContact(request(text), contacts), text)
  assert.equal(rawContacts({}), undefined)
  assert.equal(rawContacts({ phone: '12345', email: 'b5fc85e5' }), undefined)
})

test('what a provider declares plain may stand raw, what it hashes may not', () => {
  assert.equal(rawContacts(person, { email: plain('email'), phone: plain('phone') }), undefined)
  const phoneOnly = rawContacts(person, { email: plain('email'), ph: hashed('phone') })!
  assert.ok(!containsContact(request('ada@example.com'), phoneOnly))
  assert.ok(containsContact(request('16505551212'), phoneOnly))
})

test('an e-mail in the address of the page is struck out there', () => {
  const event: TagEvent = {
    eventName: 'PageView',
    eventId: 'e',
    timestamp: 1,
    pageUrl: 'https://a.example/?email=ada%40example.com&x=1',
    search: '?email=ADA@example.com&tel=%2B16505551212',
    referrer: 'https://b.example/',
  }
  assert.deepEqual(redactContacts(event, contacts), {
    ...event,
    pageUrl: 'https://a.example/?email=redacted&x=1',
    search: '?email=redacted&tel=redacted',
  })
  assert.equal(redactContacts(event, rawContacts({ email: 'bob@example.com' })), event)
})

test('a number without country code is found as vendors get it, and as it was written', () => {
  const german = rawContacts({ phone: '0171 1234567', phoneCountry: 'DE' })!
  for (const text of ['+491711234567', '491711234567', '0171 1234567', '01711234567', '49 171 1234567'])
    assert.ok(containsContact(request(`tel ${text}.`), german), text)
})
