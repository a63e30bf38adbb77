import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, mock, test } from 'node:test'
import { ErrorObject, fault } from '#contract/fault.ts'
import type { Operation } from '#contract/operation.ts'
import { check, Type } from '#contract/schema.ts'
import { newId } from '#kit/id.ts'
import { Unwritable } from '#store/store.ts'
import { fastifyFor } from './app.ts'
import { type Brakes, bind } from './bind.ts'
import { countCalls } from './rate.ts'

const teamId = newId('team', 0)
const row: Operation = {
  method: 'POST',
  path: '/thing',
  summary: '',
  access: ['script:write'],
  teamHeader: true,
  gives: Type.Unknown(),
  faults: [],
}
const authenticate = async (authorization = '') => {
  if (!authorization.startsWith('Bearer good'))
    throw fault('tokenRefused', { headers: { 'WWW-Authenticate': 'Bearer' } })
  return { tokenId: authorization, teamId, application: '', scopes: new Set(['script:write'] as const) }
}

const lines: Record<string, unknown>[] = []
const state = { perMinute: 3, busyS: undefined as number | undefined, answer: () => ({}) as unknown }
const app = fastifyFor({ log: (line) => lines.push(line), trustProxy: ['127.0.0.1/32'] })
after(() => app.close())
app.register(async (routes) => {
  const brakes: Brakes = { count: countCalls(routes, () => state.perMinute), busy: () => state.busyS }
  bind(routes, row, () => state.answer(), authenticate, brakes)
  bind(routes, { ...row, method: 'GET' }, () => ({}), authenticate, brakes)
  bind(
    routes,
    { ...row, method: 'GET', path: '/public', access: 'public', teamHeader: false },
    () => ({}),
    authenticate,
    brakes,
  )
  const person = { personId: '', name: '', role: 'member', createdAt: 0 } as const
  const session = { hash: Buffer.of(), personId: '', createdAt: 0, expiresAt: 0 }
  /** Bearer `<person> <session>`, to be counted by the first. */
  const asPerson = async (authorization = '') => {
    const [, personId = ''] = authorization.split(' ')
    return { person: { ...person, personId }, session }
  }
  const own = { method: 'GET', path: '/own', summary: '', access: 'session', teamHeader: false } as const
  bind(routes, { ...own, gives: Type.Unknown(), faults: [] }, () => ({}), asPerson, brakes)
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
  if (answer.statusCode !== 200) assert.deepEqual(check(ErrorObject)(body), [])
  return { status: answer.statusCode, code: body.error, headers: answer.headers }
}

test('every answer says what the limit is, what is left of it and until when', async () => {
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

test('one call too many is 429 with Retry-After, and after so many seconds the token is good again', async () => {
  const token = aToken()
  for (let call = 0; call < 3; call++) assert.equal((await ask(token)).status, 200)
  const told = await ask(token)
  assert.deepEqual([told.status, told.code], [429, 'TOO_MANY_REQUESTS'])
  assert.equal(told.headers['retry-after'], '60')
  assert.equal(told.headers.ratelimit, '"default";r=0;t=60')
  mock.timers.tick(59_000)
  assert.deepEqual([(await ask(token)).status, (await ask(token)).headers['retry-after']], [429, '1'])
  mock.timers.tick(1_000)
  assert.equal((await ask(token)).status, 200)
})

test('the limit is of the token, wherever it comes from, and no other token pays for it', async () => {
  const token = aToken()
  for (let call = 0; call < 3; call++) await ask(token, { method: 'GET' })
  assert.equal((await ask(token)).status, 429)
  assert.equal((await ask(aToken())).status, 200)
})

test('all sessions of a person are counted together, and those of nobody else', async () => {
  const own = { method: 'GET', url: '/own' } as const
  for (const session of [1, 2, 3]) assert.equal((await ask(`Bearer ada ${session}`, own)).status, 200)
  assert.equal((await ask('Bearer ada 4', own)).status, 429)
  assert.equal((await ask('Bearer grace 1', own)).status, 200)
})

test('calls without a good token are limited by their address, whatever token they try', async () => {
  const from = anAddress()
  for (let call = 0; call < 3; call++) assert.equal((await ask(`Bearer bad${call}`, { from })).status, 401)
  const told = await ask('Bearer bad', { from })
  assert.deepEqual([told.status, told.headers['retry-after']], [429, '60'])
  assert.equal((await ask('Bearer bad')).status, 401)
  assert.equal((await ask(aToken(), { from })).status, 200, 'a good token has a limit of its own')
})

test('public operations are limited by the address, and one network of IPv6 is one address', async () => {
  const get = (from: string) => ask('', { method: 'GET', url: '/public', from })
  for (const last of ['1', '2:3', 'ffff']) assert.equal((await get(`2001:db8::${last}`)).status, 200)
  assert.equal((await get('2001:db8::9')).status, 429)
  assert.equal((await get('2001:db8:0:1::9')).status, 200)
})

test('while nothing can be written a change is 503 with Retry-After, and reading goes on', async () => {
  state.busyS = 30
  const token = aToken()
  const told = await ask(token)
  assert.deepEqual([told.status, told.code, told.headers['retry-after']], [503, 'OVERLOADED', '30'])
  assert.equal((await ask(token, { method: 'GET' })).status, 200)
})

test('a write that the disk refused is 503, and its reason is in the log alone', async () => {
  state.answer = () => Promise.reject(new Unwritable('nothing of this was written: database or disk is full'))
  const { status, headers } = await ask(aToken())
  assert.deepEqual([status, headers['retry-after']], [503, '10'])
  assert.match(String(lines.at(-1)?.stack), /disk is full/)
})
