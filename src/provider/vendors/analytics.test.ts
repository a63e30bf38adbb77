import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonCookie, personId, within, withScheme } from './analytics.ts'

const cookie = (value: string) => jsonCookie({ c: { value, at: 0 } }, 'c')

test('an id that stands for nobody is no id', () => {
  const nobody = ['', ' ', 'null', 'Anonymous', '0', '-1', '00000000-0000-0000-0000-000000000000', '[object Object]']
  for (const id of [...nobody, undefined, 7]) assert.equal(personId(id), undefined, String(id))
  assert.equal(personId(' usr_1 '), 'usr_1')
  assert.equal(personId('10'), '10')
  assert.equal(personId('x'.repeat(300), 200)?.length, 200)
})

test('a cookie gives the members of its JSON object, and none where it holds none', () => {
  assert.deepEqual(cookie('{"a":1}'), { a: 1 })
  assert.deepEqual(cookie('%7B%22a%22%3A1%7D'), { a: 1 })
  for (const text of ['', '[1]', '7', '{"a"', '%7B%', 'null']) assert.deepEqual(cookie(text), {}, text)
  assert.deepEqual(jsonCookie({}, 'c'), {})
})

test('a value within the limits of a vendor is as it was, any other is cut to them', () => {
  const limits = { text: 3, list: 2, members: 2, levels: 2 }
  assert.deepEqual(within({ a: 'abcd', b: [1, 2, 3], c: 1 }, limits), { a: 'abc', b: [1, 2] })
  assert.deepEqual(within({ a: { b: { c: 1 } }, d: [[1]] }, limits), { a: { b: undefined }, d: [] })
  assert.deepEqual(within({ abcd: 1, a: null, b: undefined, c: true }, limits), { a: null, c: true })
  const wide = { text: 1_000, list: 1_000, members: 1_000, levels: 100 }
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => assert.deepEqual(within(value, wide), value)))
})

test('an address that is a host name alone is one of https', () => {
  assert.equal(withScheme('name.vendor.example'), 'https://name.vendor.example')
  assert.equal(withScheme('http://127.0.0.1:80'), 'http://127.0.0.1:80')
})
