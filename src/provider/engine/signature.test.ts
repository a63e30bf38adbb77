import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Signature } from '#provider/form/request.ts'
import { toWireRequest } from './toWireRequest.ts'

const now = 1_700_000_000_500
const aws = { service: 'kinesis', region: 'eu-central-1', accessKeyId: 'AKID', secretAccessKey: 'secret' }
const oauth = { consumerKey: 'ck', consumerSecret: 'c&s', token: 'tk', tokenSecret: 't s' }
const sha = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

/** The signature as AWS's documentation derives it, computed from the sent request. */
function awsSignature(request: ReturnType<typeof toWireRequest>, secret: string): string {
  const { host, pathname } = new URL(request.url)
  const [, date, region, service, names] =
    /Credential=\w+\/(\d+)\/([\w-]+)\/(\w+)\/aws4_request, SignedHeaders=([\w;-]+)/.exec(
      request.headers.authorization!,
    )!
  const headers: Record<string, string> = { ...request.headers, host }
  const canonical = [
    request.method,
    pathname,
    '',
    ...names!.split(';').map((name) => `${name}:${headers[name]}`),
    '',
    names,
    sha(request.body!),
  ]
  const scope = `${date}/${region}/${service}/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha(canonical.join('\n'))].join('\n')
  const key = ['aws4_request'].reduce(hmac, hmac(hmac(hmac(`AWS4${secret}`, date!), region!), service!))
  return hmac(key, text).toString('hex')
}

const kinesis = (json: unknown, more: object = {}) =>
  toWireRequest(
    {
      url: 'https://kinesis.eu-central-1.amazonaws.com/',
      headers: { 'Content-Type': 'application/x-amz-json-1.1', 'X-Amz-Target': 'Kinesis_20131202.PutRecord' },
      json,
      sign: { aws4: { ...aws, ...more } },
    },
    now,
  )

test('AWS finds the signature that it derives itself, over the headers that it asks for', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      const request = kinesis(json)
      const { authorization } = request.headers
      assert.match(authorization!, /SignedHeaders=content-type;host;x-amz-date;x-amz-target, /)
      assert.ok(authorization!.endsWith(`Signature=${awsSignature(request, 'secret')}`))
    }),
  )
})

test('the time of a signature for AWS is the clock that was handed in, a session token goes along and is signed', () => {
  const { headers } = kinesis({}, { sessionToken: 'session' })
  assert.equal(headers['x-amz-date'], '20231114T221320Z')
  assert.equal(headers['x-amz-security-token'], 'session')
  assert.match(
    headers.authorization!,
    /Credential=AKID\/20231114\/eu-central-1\/kinesis\/aws4_request.*;x-amz-security-token;/,
  )
  assert.deepEqual(
    Object.keys(headers).sort(),
    Object.keys(headers)
      .map((name) => name.toLowerCase())
      .sort(),
  )
  assert.ok(!('host' in headers) && !('content-length' in headers))
})

const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** RFC 5849, 3.4: over the method, the address, and the parameters of query, form and header. */
function oauthSignature({ method, url, headers, body = '' }: ReturnType<typeof toWireRequest>): {
  given: string
  due: string
} {
  const { origin, pathname, searchParams } = new URL(url)
  const fields = [...headers.authorization!.matchAll(/(oauth_\w+)="([^"]*)"/g)].map(
    ([, key, value]) => [key!, decodeURIComponent(value!)] as const,
  )
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded'
  const all = [
    ...fields.filter(([key]) => key !== 'oauth_signature'),
    ...searchParams,
    ...(isForm ? new URLSearchParams(body) : []),
  ]
  const pairs = all.map(([key, value]) => `${encode(key)}=${encode(value)}`).sort()
  const base = [method, origin + pathname, pairs.join('&')].map(encode).join('&')
  const due = createHmac('sha1', `${encode(oauth.consumerSecret)}&${encode(oauth.tokenSecret)}`)
    .update(base)
    .digest('base64')
  return { given: fields.find(([key]) => key === 'oauth_signature')![1], due }
}

test('OAuth 1.0a signs the query and a form, and leaves a JSON body out', () => {
  const sign: Signature = { oauth1: oauth }
  const url = 'https://ads-api.x.com/12/measurement/conversions/o8z6j'
  for (const send of [
    { url, json: { a: 'Ladies + Gentlemen' }, sign },
    { url, query: { b: 'x y', a: 1 }, sign },
    { url, form: { status: "it's + (fine)*" }, sign },
  ]) {
    const request = toWireRequest(send, now)
    const { given, due } = oauthSignature(request)
    assert.equal(given, due)
    assert.match(request.headers.authorization!, /oauth_timestamp="1700000000"/)
    assert.doesNotMatch(request.headers.authorization!, /status|c&s|t s/)
  }
})

test('the same request at the same time is signed alike, another body or another time has another nonce', () => {
  const nonce = (json: unknown, at = now) =>
    /oauth_nonce="(\w+)"/.exec(
      toWireRequest({ url: 'https://x.example/', json, sign: { oauth1: oauth } }, at).headers.authorization!,
    )![1]
  assert.equal(nonce({ a: 1 }), nonce({ a: 1 }))
  assert.equal(new Set([nonce({ a: 1 }), nonce({ a: 2 }), nonce({ a: 1 }, now + 1)]).size, 3)
})
