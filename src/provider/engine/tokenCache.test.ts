import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Provider } from '#provider/form/provider.ts'
import { buildTokenRequest, readToken } from './accessToken.ts'
import { anInput, mirror, now } from './mirror.fixture.ts'
import type { SendResult } from './send.ts'
import { openTokenCache } from './tokenCache.ts'
import type { WireRequest } from './wireRequest.ts'

const withToken: Provider = {
  ...mirror,
  tokenRequest: {
    request: ({ KEY, NOTE }) => (NOTE ? undefined : { url: 'https://mirror.example/token', form: { key: KEY } }),
  },
}
const answer = (json: unknown, status = 200, headers: Record<string, string> = {}): SendResult => ({
  status,
  headers,
  body: JSON.stringify(json),
  durationMs: 1,
})
const good = (token = 'tok', expires_in: unknown = 3600) => answer({ access_token: token, expires_in })
const of = (scriptId = 'scr_1', secrets: Record<string, string> = anInput().secrets) => ({
  scriptId,
  providerId: 'mirror',
  provider: withToken,
  secrets,
})

/** A token cache with a manual clock and a vendor with given responses. */
function openTestCache(
  reply: (request: WireRequest, n: number) => SendResult | Promise<SendResult> = (_, n) => good(`tok-${n}`),
) {
  const requests: WireRequest[] = []
  let at = now
  const clock = { now: () => at, wait: async () => undefined }
  const send = async (request: WireRequest) => {
    requests.push(request)
    return reply(request, requests.length)
  }
  return { tokens: openTokenCache({ send, clock }), requests, turn: (ms: number) => (at += ms) }
}
const tokenOf = async (tokens: ReturnType<typeof openTestCache>['tokens'], ...whose: Parameters<typeof of>) => {
  const fetched = await tokens.get(of(...whose))
  assert.ok('token' in fetched)
  return fetched.token
}

test('a token is asked for once, however many wait for it, and kept until shortly before it ends', async () => {
  const { tokens, requests, turn } = openTestCache()
  const all = await Promise.all(Array.from({ length: 50 }, () => tokenOf(tokens)))
  assert.deepEqual([new Set(all).size, requests.length], [1, 1])
  turn(3_600_000 - 60_001)
  assert.equal(await tokenOf(tokens), 'tok-1')
  turn(2)
  assert.equal(await tokenOf(tokens), 'tok-2')
})

test('a token that lives for seconds is still used for nine tenths of them', async () => {
  const { tokens, turn } = openTestCache((_, n) => good(`tok-${n}`, 10))
  await tokenOf(tokens)
  turn(8_999)
  assert.equal(await tokenOf(tokens), 'tok-1')
  turn(2)
  assert.equal(await tokenOf(tokens), 'tok-2')
})

test('each script and each secret has a token of its own', async () => {
  const { tokens, requests } = openTestCache()
  assert.equal(await tokenOf(tokens, 'scr_1'), 'tok-1')
  assert.equal(await tokenOf(tokens, 'scr_2'), 'tok-2')
  assert.equal(await tokenOf(tokens, 'scr_1', { KEY: 'other' }), 'tok-3')
  assert.deepEqual(
    requests.map(({ body }) => body),
    ['key=k3y-of-mirror', 'key=k3y-of-mirror', 'key=other'],
  )
})

test('a token that the vendor refused is fetched anew; one that was fetched since stays', async () => {
  const { tokens } = openTestCache()
  const old = await tokenOf(tokens)
  tokens.drop(of(), old)
  assert.equal(await tokenOf(tokens), 'tok-2')
  tokens.drop(of(), old)
  assert.equal(await tokenOf(tokens), 'tok-2')
})

test('who refuses a token request refuses the key; who is down is asked again, in a while', async () => {
  const cases: [SendResult, string][] = [
    [answer({ error: 'invalid_grant', error_description: 'Token has been revoked.' }, 400), 'keyRejected'],
    [answer({}, 403), 'keyRejected'],
    [answer({ no: 'token' }), 'keyRejected'],
    [answer({}, 503), 'retry'],
    [answer({}, 429, { 'retry-after': '30' }), 'retry'],
    [{ failed: 'timeout', message: 'No response in time.', durationMs: 1 }, 'retry'],
  ]
  for (const [reply, verdict] of cases) {
    const { tokens, requests, turn } = openTestCache(() => reply)
    const [one, other] = [await tokens.get(of()), await tokens.get(of())]
    assert.ok('refused' in one && 'refused' in other)
    assert.equal(one.refused.verdict, verdict)
    assert.equal(requests.length, 1, 'all that wait share the refusal')
    turn(30_001)
    await tokens.get(of())
    assert.equal(requests.length, 2)
  }
})

test('a step that throws is a bug, and is tried again', async () => {
  const { tokens, requests } = openTestCache((_, n) => (n === 1 ? Promise.reject(new Error('bug')) : good('late')))
  await assert.rejects(tokens.get(of()))
  assert.equal(await tokenOf(tokens), 'late')
  assert.equal(requests.length, 2)
})

test('secrets that need no token ask for none', async () => {
  const { tokens, requests } = openTestCache()
  assert.equal(await tokenOf(tokens, 'scr_1', { KEY: 'k', NOTE: 'static' }), '')
  assert.equal(requests.length, 0)
  assert.equal(buildTokenRequest('mirror', mirror, { KEY: 'k' }, now), undefined)
})

test('the form names the fields of the token and its lifetime; the default lifetime is an hour', () => {
  const form = {
    ...withToken.tokenRequest!,
    tokenPath: 'data.token',
    lifetimePath: 'data.seconds',
    defaultLifetimeMs: 5_000,
  }
  const read = (json: unknown) => readToken({ ...withToken, tokenRequest: form }, answer(json), now)
  assert.deepEqual(read({ data: { token: 't', seconds: '20' } }), { token: 't', expiresAt: now + 20_000 })
  assert.deepEqual(read({ data: { token: 't' } }), { token: 't', expiresAt: now + 5_000 })
  assert.deepEqual(readToken(withToken, answer({ access_token: 't' }), now), { token: 't', expiresAt: now + 3_600_000 })
})
