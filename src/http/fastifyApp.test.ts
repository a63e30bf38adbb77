import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { InjectOptions } from 'fastify'
import type { ErrorObject } from '#contract/errorObject.ts'
import { fault } from '#contract/fault.ts'
import { Type } from '#contract/schema.ts'
import type { Scope } from '#contract/scopes.ts'
import { newId } from '#kit/id.ts'
import { bindOperation } from './bindOperation.ts'
import { createFastify } from './fastifyApp.ts'

const teamId = newId('team', 0)
const lines: Record<string, unknown>[] = []
const app = createFastify({ log: (line) => lines.push(line) })
after(() => app.close())

const authenticate = async (authorization: string | undefined) => {
  if (!authorization) throw fault('tokenMissing', { headers: { 'www-authenticate': 'Bearer' } })
  const [, may = ''] = authorization.split(' ')
  return { by: 'tok_1', teamId, application: 'test', scopes: new Set(may.split(',') as Scope[]) }
}
const write = {
  method: 'PUT',
  path: '/thing/{id}',
  summary: '',
  access: ['script:write'],
  params: Type.Object({ id: Type.String() }),
  query: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1 })) }),
  body: Type.Object({ name: Type.String(), more: Type.Optional(Type.Unknown()) }),
  response: Type.Unknown(),
  faults: [],
} as const
const read = {
  method: 'GET',
  path: '/kept',
  summary: '',
  access: 'public',
  response: Type.Unknown(),
  maxAgeS: 300,
  faults: [],
} as const
app.register(
  async (scope) => {
    bindOperation(scope, write, ({ params, query, body, from }) => ({ params, query, body, from }), authenticate)
    bindOperation(scope, read, () => ({ a: 1 }), authenticate)
    bindOperation(scope, { ...read, path: '/bug' }, () => JSON.parse('{"password": hunter2') as unknown, authenticate)
  },
  { prefix: '/v1' },
)

const headers = { authorization: 'Bearer script:write', 'team-id': teamId, 'content-type': 'application/json' }
const good: InjectOptions = { method: 'PUT', url: '/v1/thing/1', headers, payload: '{"name":"a"}' }

async function ask(more: InjectOptions, without?: keyof typeof headers) {
  const merged = { ...good, ...more, headers: { ...headers, ...more.headers } as Record<string, string> }
  if (without) delete merged.headers[without]
  const answer = await app.inject(merged)
  return { answer, status: answer.statusCode, body: answer.body && (answer.json() as ErrorObject) }
}

/** Asserts that a request is refused with this status and code, and that the body is an Error object. */
async function refused(status: number, code: string, more: InjectOptions, without?: keyof typeof headers) {
  const { answer, body } = await ask(more, without)
  assert.deepEqual([answer.statusCode, (body as ErrorObject).error], [status, code])
  assert.match(String(answer.headers['content-type']), /^application\/json/)
  assert.equal((body as ErrorObject).statusCode, status)
  return { headers: answer.headers, body: body as ErrorObject }
}
const issues = (body: ErrorObject) => body.attributes?.issues as { path: string; message: string }[]

test('the handler gets the validated input of its operation', async () => {
  const { status, body } = await ask({ url: '/v1/thing/a%2Fb%20%C3%A9?limit=3&other=x' })
  assert.equal(status, 200)
  assert.deepEqual(body, { params: { id: 'a/b é' }, query: { limit: 3 }, body: { name: 'a' }, from: '127.0.0.1' })
})

test('the checks run in the order token, Team-Id, team, scope, content type, size, schema', async () => {
  const all = {
    payload: 'x'.repeat(3e6),
    headers: { 'content-type': 'text/plain', 'team-id': 'x', authorization: 'Bearer no' },
  }
  await refused(401, 'TOKEN_MISSING', all, 'authorization')
  await refused(400, 'TEAM_ID_MISSING', all)
  await refused(400, 'TEAM_ID_MISSING', all, 'team-id')
  all.headers['team-id'] = newId('team', 1)
  await refused(403, 'TEAM_REFUSED', all)
  all.headers['team-id'] = teamId
  await refused(403, 'SCOPE_MISSING', all)
  all.headers.authorization = headers.authorization
  await refused(415, 'CONTENT_TYPE_REFUSED', all)
  all.headers['content-type'] = 'application/json'
  await refused(413, 'BODY_TOO_LARGE', all)
  await refused(400, 'JSON_BROKEN', { ...all, payload: 'x' })
  await refused(400, 'BAD_REQUEST', { ...all, payload: '{}' })
})

test('401 has a WWW-Authenticate header', async () => {
  const { headers: response } = await refused(401, 'TOKEN_MISSING', {}, 'authorization')
  assert.equal(response['www-authenticate'], 'Bearer')
})

for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
  test(`a body is accepted as ${type}`, async () => {
    assert.equal((await ask({ headers: { 'content-type': type } })).status, 200)
  })
}
for (const type of [
  'text/plain',
  'application/json; charset=latin1',
  'application/xml',
  'json',
  ';;',
  'multipart/form-data',
]) {
  test(`a body is refused as ${type}`, async () => {
    await refused(415, 'CONTENT_TYPE_REFUSED', { headers: { 'content-type': type } })
  })
}
test('a body that is compressed or has no content type is refused', async () => {
  await refused(415, 'CONTENT_TYPE_REFUSED', {}, 'content-type')
  const compressed = await refused(415, 'CONTENT_TYPE_REFUSED', { headers: { 'content-encoding': 'gzip' } })
  assert.equal(compressed.headers['accept-encoding'], 'identity')
})

for (const payload of ['', '{', 'nope', '{"name":"a"}x', Buffer.from([0x22, 0xff, 0x22])]) {
  test(`a body that is not JSON (${JSON.stringify(payload)}) is JSON_BROKEN with an issue`, async () => {
    assert.equal(issues((await refused(400, 'JSON_BROKEN', { payload })).body).length, 1)
  })
}

test('a 400 lists every issue of query and body with its path', async () => {
  const { body } = await refused(400, 'BAD_REQUEST', { url: '/v1/thing/1?limit=x', payload: '{"name":1}' })
  assert.deepEqual(
    issues(body).map(({ path }) => path),
    ['limit', 'name'],
  )
})

test('a body nested deeper than 32 levels is refused, at any depth', async () => {
  const nested = (levels: number) => `{"name":"a","more":${'['.repeat(levels)}${']'.repeat(levels)}}`
  assert.equal((await ask({ payload: nested(31) })).status, 200)
  for (const levels of [33, 1_000, 900_000]) await refused(400, 'BAD_REQUEST', { payload: nested(levels) })
})

test('__proto__, constructor and prototype in a body change no prototype', async () => {
  const payload = '{"name":"a","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
  assert.equal((await ask({ payload })).status, 200)
  assert.equal((Object.prototype as Record<string, unknown>).polluted, undefined)
})

test('an unknown route is 404 without a token, also with a body', async () => {
  for (const url of [
    '/',
    '/v1',
    '/v2/thing/1',
    '/v1/thing',
    '/v1/thing/1/x',
    '/v1/Kept',
    '/v1/kept/',
    '/v1/__proto__',
  ]) {
    await refused(404, 'NOT_FOUND', { url, payload: 'x'.repeat(3e6) }, 'authorization').catch((e) =>
      assert.fail(url + e),
    )
  }
})

test('a wrong method is 405 with the allowed ones', async () => {
  const put = await refused(405, 'METHOD_NOT_ALLOWED', { method: 'PATCH', url: '/v1/thing/1?x' }, 'authorization')
  assert.equal(put.headers.allow, 'OPTIONS, PUT')
  const get = await refused(405, 'METHOD_NOT_ALLOWED', { method: 'POST', url: '/v1/kept' })
  assert.equal(get.headers.allow, 'GET, HEAD, OPTIONS')
  await refused(405, 'METHOD_NOT_ALLOWED', { method: 'PROPFIND' as 'GET', url: '/v1/kept' })
})

test('OPTIONS returns the allowed methods, HEAD the headers of GET', async () => {
  const options = await app.inject({ method: 'OPTIONS', url: '/v1/kept' })
  assert.deepEqual([options.statusCode, options.headers.allow, options.body], [204, 'GET, HEAD, OPTIONS', ''])
  const head = await app.inject({ method: 'HEAD', url: '/v1/kept' })
  assert.deepEqual([head.statusCode, head.body], [200, ''])
  assert.ok(head.headers.etag)
})

test('a URL that is too long or not percent-encoded UTF-8 is refused with an Error object', async () => {
  await refused(400, 'BAD_REQUEST', { url: '/v1/thing/%ff' })
  await refused(404, 'NOT_FOUND', { url: `/v1/thing/${'x'.repeat(17_000)}` })
})

test('a cacheable response has an ETag, and is 304 for a caller that sends it', async () => {
  const first = await app.inject({ url: '/v1/kept' })
  const etag = String(first.headers.etag)
  assert.equal(first.headers['cache-control'], 'public, max-age=300')
  for (const ifNoneMatch of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const again = await app.inject({ url: '/v1/kept', headers: { 'if-none-match': ifNoneMatch } })
    assert.deepEqual([again.statusCode, again.body, again.headers.etag], [304, '', etag])
  }
  const other = await app.inject({ url: '/v1/kept', headers: { 'if-none-match': '"x"' } })
  assert.equal(other.statusCode, 200)
})

test('other responses are no-store, and all have nosniff', async () => {
  const { answer } = await ask({})
  assert.equal(answer.headers['cache-control'], 'no-store')
  for (const url of ['/v1/thing/1', '/nowhere']) {
    assert.equal((await app.inject({ url, headers })).headers['x-content-type-options'], 'nosniff')
  }
})

test('a bug is a 500 without details, and its stack is logged', async () => {
  const { body } = await refused(500, 'INTERNAL', { method: 'GET', url: '/v1/bug' })
  assert.doesNotMatch(JSON.stringify(body), /JSON|password|app\.test/)
  assert.match(String(lines.at(-1)?.stack), /fastifyApp\.test\.ts/)
  assert.equal(lines.at(-1)?.route, '/v1/bug')
  assert.doesNotMatch(JSON.stringify(lines), /hunter2/)
})

test('a write names the fields of its body that it does not have, and its status stays', async () => {
  const { status, body } = await ask({ payload: '{"name":"a","nmae":"b"}' })
  assert.equal(status, 200)
  assert.deepEqual((body as unknown as { warnings: string[] }).warnings, [
    '"nmae" is not a field here and was ignored; did you mean name?',
  ])
})

test('a call without Team-Id is told the team of its token', async () => {
  const { status, body } = await ask({}, 'team-id')
  assert.equal(status, 400)
  const { message, attributes } = body as ErrorObject
  assert.match(message, new RegExp(RegExp.escape(teamId)))
  assert.deepEqual(attributes, { teams: [teamId] })
})
