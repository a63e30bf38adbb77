import assert from 'node:assert/strict'
import { hash as digest } from 'node:crypto'
import { test } from 'node:test'
import { matchFindingCodes } from '#contract/matchQuality.ts'
import { bitOfFinding } from './findingBits.ts'
import { addressText, clickText, personText, phoneText, userAgentText } from './valueFaults.ts'

const sha256 = (text: string) => digest('sha256', text)
const codesOf = (bits: number) => matchFindingCodes.filter((code) => (bits & bitOfFinding(code)) !== 0)
const at = 1_790_000_000_000
const click = 'IwAR2F4-dbP0l7Mn1IawQQGCINEz7PYXQvwjNwB_qa2ofrHyiLjcbCRxTDMgk'

test('the hash of an empty text, of a placeholder and of a hash are told apart', () => {
  assert.deepEqual(codesOf(personText(sha256(''))), ['EMPTY_HASH'])
  assert.deepEqual(codesOf(personText('E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855')), [
    'EMPTY_HASH',
  ])
  for (const text of ['null', 'undefined', 'n/a', 'unknown']) {
    assert.deepEqual(codesOf(personText(text)), ['PLACEHOLDER_HASH'])
    assert.deepEqual(codesOf(personText(sha256(text))), ['PLACEHOLDER_HASH'])
  }
  assert.deepEqual(codesOf(personText('unknown@shop.com')), ['PLACEHOLDER_HASH'])
  assert.deepEqual(codesOf(personText(sha256(sha256('')))), ['DOUBLE_HASH'])
  for (const text of ['ada@shop.com', sha256('ada@shop.com'), 'Ada']) assert.deepEqual(codesOf(personText(text)), [])
})

test('a phone number lacks its country only where no country is known', () => {
  assert.deepEqual(codesOf(phoneText('030 901820', undefined)), ['PHONE_WITHOUT_COUNTRY'])
  assert.deepEqual(codesOf(phoneText('030 901820', '+4930901820')), [])
  assert.deepEqual(codesOf(phoneText('+49 30', undefined)), [])
  assert.equal(phoneText(sha256('+4930901820'), undefined), 0)
})

test('a private address, and the address of the server itself, are none of a buyer', () => {
  for (const ip of ['10.0.0.1', '127.0.0.1', '192.168.3.4', '172.31.0.1', '100.64.0.1', '::1', 'fd12::1', 'fe80::1'])
    assert.deepEqual(codesOf(addressText(ip, false)), ['PRIVATE_ADDRESS'], ip)
  for (const ip of ['84.17.44.10', '172.32.0.1', '100.128.0.1', '2001:4860::8888', '::ffff:84.17.44.10'])
    assert.deepEqual(codesOf(addressText(ip, false)), [], ip)
  assert.deepEqual(codesOf(addressText('::ffff:10.0.0.1', false)), ['PRIVATE_ADDRESS'])
  assert.deepEqual(codesOf(addressText('84.17.44.10', true)), ['SERVER_ADDRESS_SENT'])
})

test('the user agents of programs are none of a buyer', () => {
  for (const agent of ['node', 'python-requests/2.31', 'WordPress/6.6; https://shop.example', 'Go-http-client/1.1'])
    assert.deepEqual(codesOf(userAgentText(agent)), ['USER_AGENT_OF_A_SERVER'])
  assert.deepEqual(codesOf(userAgentText('Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X)')), [])
})

test('a cookie of Meta has its parts, its time in ms, the case of its click and an age of at most 90 days', () => {
  const fbc = (value: string) => codesOf(clickText('_fbc', { value, at }, at))
  assert.deepEqual(fbc(`fb.1.${at}.${click}`), [])
  assert.deepEqual(fbc(`fb.1.${at}.${click}.Bg`), [])
  assert.deepEqual(fbc(`fb.1.${at - 89 * 86_400_000}.${click}`), [])
  assert.deepEqual(fbc(`fb.1.${at - 91 * 86_400_000}.${click}`), ['CLICK_ID_OLD'])
  assert.deepEqual(fbc(`fb.1.${Math.floor(at / 1000)}.${click}`), ['TIME_UNIT'])
  assert.deepEqual(fbc(`fb.1.${at}.${click.toLowerCase()}`), ['CLICK_ID_MALFORMED'])
  for (const value of [click, `fb.1.${at}`, `fb.x.${at}.${click}`, `fb.1.${at}.a b`, `fb.1.${at}.${click}.x.y`])
    assert.deepEqual(fbc(value), ['CLICK_ID_MALFORMED'], value)
  assert.deepEqual(codesOf(clickText('_fbp', { value: `fb.1.${at}.1098115397`, at }, at)), [])
  assert.deepEqual(codesOf(clickText('_fbp', { value: `fb.1.${at}.${click}`, at }, at)), ['CLICK_ID_MALFORMED'])
})

test('a click id keeps its case and characters', () => {
  const codes = (name: string, value: string, seen = at) => codesOf(clickText(name, { value, at: seen }, at))
  assert.deepEqual(codes('fbclid', click), [])
  assert.deepEqual(codes('fbclid', click.toLowerCase()), ['CLICK_ID_MALFORMED'])
  assert.deepEqual(codes('gclid', 'Cj0KCQjw 8ZKmBh'), ['CLICK_ID_MALFORMED'])
  assert.deepEqual(codes('msclkid', '0a1b2c3d4e5f60718293a4b5c6d7e8f9'), [])
  assert.deepEqual(codes('gclid', 'Cj0KCQjw8ZKmBhArEiwAspcJ7h', at - 91 * 86_400_000), ['CLICK_ID_OLD'])
})
