import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../../test/fake/anyCodePoint.ts'
import { toWireRequest } from './toWireRequest.ts'

const now = 1_700_000_000_999

test('JSON goes as a POST with its content type, undefined members left out', () => {
  const json = { a: 1, b: undefined, c: { d: undefined } }
  assert.deepEqual(
    toWireRequest({ url: 'https://a.example/', json, headers: { 'X-Key': 'k', 'X-None': undefined } }, now),
    {
      method: 'POST',
      url: 'https://a.example/',
      headers: { 'content-type': 'application/json', 'x-key': 'k' },
      body: '{"a":1,"c":{}}',
    },
  )
})

test('a form is encoded as one, and a content type that is given stands', () => {
  const form = { a: 'x y', b: 2, c: undefined, d: 'ü&=' }
  assert.deepEqual(toWireRequest({ url: 'https://a.example/', form }, now), {
    method: 'POST',
    url: 'https://a.example/',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'a=x+y&b=2&d=%C3%BC%26%3D',
  })
  const typed = toWireRequest(
    { url: 'https://a.example/', json: {}, headers: { 'Content-Type': 'application/x+json' } },
    now,
  )
  assert.deepEqual(typed.headers, { 'content-type': 'application/x+json' })
})

test('without a body it is a GET, and the query is added to what the address has', () => {
  const query = { q: 'a b', n: 1, none: undefined }
  const wire = { method: 'GET', headers: {} }
  assert.deepEqual(toWireRequest({ url: 'https://a.example/p', query }, now), {
    ...wire,
    url: 'https://a.example/p?q=a+b&n=1',
  })
  assert.deepEqual(toWireRequest({ url: 'https://a.example/p?x=1#f', query: { y: 2 } }, now), {
    ...wire,
    url: 'https://a.example/p?x=1&y=2#f',
  })
  assert.deepEqual(toWireRequest({ url: 'https://a.example', method: 'DELETE', query: {} }, now), {
    ...wire,
    method: 'DELETE',
    url: 'https://a.example',
  })
})

const signatureOf = (key: Buffer, id: string, body: string) =>
  `v1,${createHmac('sha256', key).update(`${id}.1700000000.${body}`).digest('base64')}`

test('a signature is that of Standard Webhooks, by a whsec_ key or by any text', () => {
  const key = Buffer.from('0123456789abcdef01234567')
  for (const [secret, bytes] of [
    [`whsec_${key.toString('base64')}`, key],
    ['any text, also ü', Buffer.from('any text, also ü')],
  ] as const) {
    const sign = { standardWebhooks: secret, id: 'evt-1' }
    assert.deepEqual(toWireRequest({ url: 'https://a.example/', json: { a: 'ü' }, sign }, now).headers, {
      'content-type': 'application/json',
      'webhook-id': 'evt-1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': signatureOf(bytes, 'evt-1', '{"a":"ü"}'),
    })
  }
})

test('any event id makes a header that can be sent, and the signature is over what is sent', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint, minLength: 1 }), (id) => {
      const { headers, body } = toWireRequest(
        { url: 'https://a.example/', json: {}, sign: { standardWebhooks: 'k', id } },
        now,
      )
      assert.match(headers['webhook-id']!, /^[\x21-\x7e]+$/)
      assert.equal(headers['webhook-signature'], signatureOf(Buffer.from('k'), headers['webhook-id']!, body!))
    }),
  )
})

test('a text goes as it is, and what cannot stand in a header is left out of it', () => {
  const { body, headers } = toWireRequest(
    { url: 'https://a.example/', text: '<a/>', headers: { 'content-type': 'text/xml' } },
    now,
  )
  assert.deepEqual([body, headers], ['<a/>', { 'content-type': 'text/xml' }])
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint }), (agent) => {
      const request = toWireRequest(
        { url: 'https://a.example/', headers: { 'user-agent': `Mozilla/5.0 ${agent}` } },
        now,
      )
      assert.ok(new Headers(request.headers).get('user-agent')?.startsWith('Mozilla/5.0'))
    }),
  )
})
