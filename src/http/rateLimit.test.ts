import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, mock, test } from 'node:test'
import { ErrorObject } from '#contract/errorObject.ts'
import { fault } from '#contract/fault.ts'
import type { Operation } from '#contract/operation.ts'
import { Type } from '#contract/schema.ts'
import { compileValidator } from '#contract/validator.ts'
import { newId } from '#kit/id.ts'
import { Unwritable } from '#store/store.ts'
import { bindOperation, type CallLimits } from './bindOperation.ts'
import { createFastify } from './fastifyApp.ts'
import { limitCallers } from './rateLimit.ts'

const teamId = newId('team', 0)
const row: Operation = {
  method: 'POST',
  path: '/thing',
  summary: '',
  access: ['script:write'],
  response: Type.Unknown(),
  faults: [],
}
const authenticate = async (authorization = '') => {
  if (!authorization.startsWith('Bearer good'))
    throw fault('tokenRefused', { headers: { 'WWW-Authenticate': 'Bearer' } })
  return { by: authorization, teamId, application: '', scopes: new Set(['script:write'] as const) }
}

const lines: Record<string, unknown>[] = []
const state = { perMinute: 3, busyS: undefined as number | undefined, answer: () => ({}) as unknown }
const app = createFastify({ log: (line) => lines.push(line), trustProxy: ['127.0.0.1/32'] })
after(() => app.close())
app.register(async (routes) => {
  const brakes: CallLimits = {
    count: limitCallers(routes, () => state.perMinute),
    retryAfterSeconds: () => state.busyS,
  }
  bindOperation(routes, row, () => state.answer(), authenticate, brakes)
  bindOperation(routes, { ...row, method: 'GET' }, () => ({}), authenticate, brakes)
  bindOperation(routes, { ...row, method: 'GET', path: '/public', access: 'public' }, () => ({}), authenticate, brakes)
  const person = { personId: '', name: '', role: 'member', createdAt: 0 } as const
  const session = { hash: Buffer.of(), personId: '', createdAt: 0, expiresAt: 0 }
  /** Bearer `<person> <session>`, counted by the person. */
  const asPerson = async (authorization = '') => {
    const [, personId = ''] = authorization.split(' ')
    return { person: { ...person, personId }, session }
  }
  const own = { method: 'GET', path: '/own', summary: '', access: 'session' } as const
  bindOperation(routes, { ...own, response: Type.Unknown(), faults: [] }, () => ({}), asPerson, brakes)
})

beforeEach(() => mock.timers.enable({ apis: ['Date'], now: Date.UTC(2026, 10, 20) }))
afterEach(() => {
  mock.timers.reset()
  Object.assign(state, { perMinute: 3, busyS: undefined, answer: () => ({}) })
})

let callers = 0
const aToken = () => `Bearer good${++callers}`
const anAddress = () => `192.0.2.${++callers}`

async function ask(
  authorization: string,
  { method = 'POST' as 'POST' | 'GET', url = '/thing', from = anAddress() } = {},
) {
  const headers = { authorization, 'team-id': teamId, 'x-forwarded-for': from }
  const answer = await app.inject({ method, url, headers })
  const body = answer.json() as Partial<ErrorObject>
  if (answer.statusCode !== 200) assert.deepEqual(compileValidator(ErrorObject)(body), [])
  return { status: answer.statusCode, code: body.error, headers: answer.headers }
}

test('every response has the limit, the remaining calls and the reset time', async () => {
  const token = aToken()
  await ask(token)
  mock.timers.tick(20_000)
  const { headers } = await ask(token)
  assert.equal(headers['ratelimit-policy'], '"default";q=3;w=60')
  assert.equal(headers.ratelimit, '"default";r=1;t=40')
  assert.deepEqual(
    [headers['ratelimit-limit'], headers['ratelimit-remaining'], headers['ratelimit-reset']],
    ['3', '1', '40'],
  )
  assert.equal(headers['retry-after'], undefined)
})

test('a call above the limit is 429 with Retry-After, and after that time the token works again', async () => {
  const token = aToken()
  for (let call = 0; call < 3; call++) assert.equal((await ask(token)).status, 200)
  const response = await ask(token)
  assert.deepEqual([response.status, response.code], [429, 'TOO_MANY_REQUESTS'])
  assert.equal(response.headers['retry-after'], '60')
  assert.equal(response.headers.ratelimit, '"default";r=0;t=60')
  mock.timers.tick(59_000)
  assert.deepEqual([(await ask(token)).status, (await ask(token)).headers['retry-after']], [429, '1'])
  mock.timers.tick(1_000)
  assert.equal((await ask(token)).status, 200)
})

test('the limit applies to each token separately, from any IP address', async () => {
  const token = aToken()
  for (let call = 0; call < 3; call++) await ask(token, { method: 'GET' })
  assert.equal((await ask(token)).status, 429)
  assert.equal((await ask(aToken())).status, 200)
})

test('the sessions of a person are counted together, and separately from other people’s', async () => {
  const own = { method: 'GET', url: '/own' } as const
  for (const session of [1, 2, 3]) assert.equal((await ask(`Bearer ada ${session}`, own)).status, 200)
  assert.equal((await ask('Bearer ada 4', own)).status, 429)
  assert.equal((await ask('Bearer grace 1', own)).status, 200)
})

test('calls without a valid token are limited by IP address, with any token', async () => {
  const from = anAddress()
  for (let call = 0; call < 3; call++) assert.equal((await ask(`Bearer bad${call}`, { from })).status, 401)
  const response = await ask('Bearer bad', { from })
  assert.deepEqual([response.status, response.headers['retry-after']], [429, '60'])
  assert.equal((await ask('Bearer bad')).status, 401)
  assert.equal((await ask(aToken(), { from })).status, 200, 'a good token has a limit of its own')
})

test('public operations are limited by IP address, and an IPv6 /64 network counts as one address', async () => {
  const get = (from: string) => ask('', { method: 'GET', url: '/public', from })
  for (const last of ['1', '2:3', 'ffff']) assert.equal((await get(`2001:db8::${last}`)).status, 200)
  assert.equal((await get('2001:db8::9')).status, 429)
  assert.equal((await get('2001:db8:0:1::9')).status, 200)
})

test('while the store cannot write, a change is 503 with Retry-After, and reads still work', async () => {
  state.busyS = 30
  const token = aToken()
  const response = await ask(token)
  assert.deepEqual([response.status, response.code, response.headers['retry-after']], [503, 'OVERLOADED', '30'])
  assert.equal((await ask(token, { method: 'GET' })).status, 200)
})

test('a write that the disk refuses is 503, and its reason is only logged', async () => {
  state.answer = () => Promise.reject(new Unwritable('nothing was written: database or disk is full'))
  const { status, headers } = await ask(aToken())
  assert.deepEqual([status, headers['retry-after']], [503, '10'])
  assert.match(String(lines.at(-1)?.stack), /disk is full/)
})
