import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#contract/client.ts'
import { faults } from '#contract/fault.ts'
import { issuesOf, problemOf, retryDelayMs, shouldRetry } from './problem.ts'
import { calls, signIn, WaitError } from './sessionClient.ts'

const apiError = (statusCode: number, error?: string, attributes?: Record<string, unknown>) =>
  new ApiError({ statusCode, message: 'said', ...(error && { error }), ...(attributes && { attributes }) })
const options = { apiPath: '/v1', origin: 'https://aglet.example', teamId: 'team_1' }

test('each fault of the contract is one kind of problem, and none is unknown', () => {
  const kinds = new Set(Object.values(faults).map(({ status, code }) => problemOf(apiError(status, code)).kind))
  assert.deepEqual([...kinds].sort(), ['changedMeanwhile', 'failed', 'gone', 'noPermission', 'signedOut'])
  assert.equal(problemOf(new TypeError('Failed to fetch')).kind, 'offline')
  assert.equal(problemOf(apiError(409, 'CHANGED_MEANWHILE')).kind, 'changedMeanwhile')
  const missing = { kind: 'noPermission', message: 'said', missing: ['tag:write'] }
  assert.deepEqual(problemOf(apiError(403, 'SCOPE_MISSING', { missing: ['tag:write'] })), missing)
})

test('an answer that stays the same is not asked for again; a busy server after the time that it names', () => {
  for (const status of [400, 401, 403, 404, 409]) assert.equal(shouldRetry(0, apiError(status)), false)
  assert.equal(shouldRetry(1, apiError(500)), true)
  assert.equal(shouldRetry(2, apiError(500)), false)
  const wait = new WaitError({ statusCode: 429, message: 'said' }, 7)
  assert.deepEqual([shouldRetry(4, wait), shouldRetry(5, wait), retryDelayMs(0, wait)], [true, false, 7_000])
  assert.deepEqual(
    [retryDelayMs(0, new TypeError('network')), retryDelayMs(9, new TypeError('network'))],
    [1_000, 30_000],
  )
})

test('the issues of a refused form are read as they are sent, and nothing else', () => {
  const issues = [{ path: 'secrets.0', message: 'cannot be decrypted' }]
  assert.deepEqual(issuesOf(apiError(400, 'BAD_REQUEST', { issues })), issues)
  assert.deepEqual(issuesOf(apiError(400, 'BAD_REQUEST', { issues: 'x' })), [])
  assert.deepEqual(issuesOf(new Error('x')), [])
})

test('a call carries the cookie of this origin, the header that no other site can send, and the team', async () => {
  const seen: { url: string; init: RequestInit }[] = []
  const fetch = (async (url: string, init: RequestInit) => {
    seen.push({ url, init })
    return Response.json({ tags: [] })
  }) as typeof globalThis.fetch
  await calls({ ...options, fetch }).listTags({})
  const [{ url, init }] = seen as [(typeof seen)[number]]
  assert.equal(url, 'https://aglet.example/v1/tag')
  const headers = { accept: 'application/json', 'team-id': 'team_1', 'aglet-session': '1' }
  assert.deepEqual(init.headers, headers)
  assert.deepEqual([init.credentials, init.redirect], ['same-origin', 'error'])
})

test('a busy server is a problem with its time', async () => {
  const answer = () =>
    Response.json({ message: 'busy', statusCode: 503 }, { status: 503, headers: { 'retry-after': '3' } })
  const refused = await calls({ ...options, fetch: async () => answer() })
    .readMe()
    .catch((error: unknown) => error)
  assert.deepEqual(problemOf(refused), { kind: 'wait', message: 'busy', code: undefined, retryAfterS: 3 })
})

test('sign-in goes by the form of the pages, so that no script sees the session', async () => {
  const sent: RequestInit[] = []
  const answering = (status: number) =>
    (async (_: string, init: RequestInit) => {
      sent.push(init)
      return new Response(null, { status })
    }) as unknown as typeof fetch
  const values = { email: 'jane@shop.example', password: 'secret' }
  assert.equal(await signIn({ ...options, fetch: answering(303) }, values), undefined)
  assert.equal(await signIn({ ...options, fetch: answering(403) }, values), 'refused')
  assert.equal(await signIn({ ...options, fetch: answering(429) }, values), 'tooMany')
  assert.equal(await signIn({ ...options, fetch: answering(500) }, values), 'failed')
  assert.equal(`${sent[0]!.body}`, 'email=jane%40shop.example&password=secret')
  assert.equal(sent[0]!.redirect, 'manual')
})
