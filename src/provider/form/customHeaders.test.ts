import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headersCheck, parseHeaders } from './customHeaders.ts'

test('headers are a JSON object of names and texts', () => {
  assert.deepEqual(parseHeaders('{"authorization": "Bearer a", "x-Tab": "a\\tb"}'), {
    authorization: 'Bearer a',
    'x-Tab': 'a\tb',
  })
  assert.deepEqual(parseHeaders(undefined), {})
  for (const bad of ['', '[]', 'null', '"a"', '{"a": 1}', '{"a b": "c"}', '{"a": "b\\r\\nc: d"}', '{"a": "ü"}'])
    assert.equal(parseHeaders(bad), undefined, bad)
})

test('headers that carry the message, or that are ours, are not the customer’s to set', () => {
  for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'proxy-x', 'webhook-id', 'x-aglet-hop'])
    assert.match(headersCheck(JSON.stringify({ [name]: 'a' }))!, /without host/)
  assert.equal(headersCheck('{"x-host": "a"}'), undefined)
})
