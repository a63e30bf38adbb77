import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { generateToken } from '#account/token.ts'
import { needsTeam } from '#contract/needsTeam.ts'
import { buildOpenapi } from '#contract/openapi.ts'
import type { Operation } from '#contract/operation.ts'
import { type OperationId, operationIds, operations } from '#contract/operations.ts'
import type { TSchema } from '#contract/schema.ts'
import { compileValidator, type Validator } from '#contract/validator.ts'
import { newId } from '#kit/id.ts'
import { anyCodePoint } from './fake/anyCodePoint.ts'
import { cases } from './fake/cases.ts'
import { junk, likely, spoil } from './fake/schemas.ts'
import { makePerson, makeSession } from './fake/sessionCases.ts'
import { makeCustomer, openTestControl } from './fake/testControl.ts'

const requests = cases(5_000, 1_500)
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)

const control = await openTestControl()
after(control.close)
const as = await makeCustomer(control)
const stranger = await makeCustomer(control)
const sandbox = await makeCustomer(control, { environment: 'sandbox' })

type Request = {
  id: OperationId
  method: string
  url: string
  headers: Record<string, string>
  payload?: string | Buffer
}

const good = { authorization: `Bearer ${as.token}`, 'team-id': as.teamId }
const deps = control.environments.production
const person = { authorization: `Bearer ${await makeSession(deps, await makePerson(deps, 'ada@example.com'))}` }
const rows: Record<string, Operation> = operations
const idsWhere = (holds: (row: Operation) => boolean) => operationIds.filter((id) => holds(rows[id]!))
const anId = (holds: (row: Operation) => boolean = () => true) => fc.constantFrom(...idsWhere(holds))
const text = fc.string({ unit: anyCodePoint, maxLength: 60 }).map((each) => each.toWellFormed())

/** The URL of an operation, with the same text for each path parameter. */
function addressOf(id: OperationId, value = 'x', query = ''): string {
  const path = rows[id]!.path.replace(/\{\w+\}/g, encodeURIComponent(value))
  return `/v1${path}${query && `?${query}`}`
}
const requestOf = (id: OperationId, more: Partial<Request> = {}): Request => {
  const { method, body, access } = rows[id]!
  const caller = access === 'session' ? person : good
  return {
    id,
    method,
    url: addressOf(id),
    headers: body ? { ...caller, 'content-type': 'application/json' } : caller,
    ...more,
  }
}

/** No token, an invalid one, one of the other environment, no team, or another team. */
const badCaller = fc
  .tuple(
    anId(needsTeam),
    fc.oneof(
      text.map((token) => ({ authorization: `Bearer ${encodeURIComponent(token)}` })),
      text.map((team) => ({ 'team-id': encodeURIComponent(team) })),
      fc.constantFrom<Record<string, string>>(
        { authorization: '' },
        { authorization: `Basic ${as.token}` },
        { authorization: `Bearer ${generateToken('production')}` },
        { authorization: `Bearer ${sandbox.token}` },
        { 'team-id': '' },
        { 'team-id': stranger.teamId },
        { 'team-id': newId('team', 0) },
      ),
    ),
  )
  .map(([id, headers]) => requestOf(id, { headers: { ...requestOf(id).headers, ...headers } }))

const bodied = idsWhere(({ body }) => body !== undefined)
const checks = new Map(bodied.map((id) => [id, compileValidator(rows[id]!.body!)]))

/** A plausible body with one flaw, by the schema of the operation. */
const badBody = fc
  .constantFrom(...bodied)
  .chain((id) => fc.tuple(fc.constant(id), likely(rows[id]!.body!), fc.option(junk, { nil: undefined }), fc.nat(1_000)))
  .map(([id, value, by, at]) => [id, spoil(value, by, at)] as const)
  .filter(([id, body]) => body !== undefined && checks.get(id)!(JSON.parse(JSON.stringify(body))).length > 0)
  .map(([id, body]) => requestOf(id, { payload: JSON.stringify(body) }))

/** Bodies that are not JSON, or not declared as JSON. */
const badBytes = fc
  .tuple(
    fc.constantFrom(...bodied),
    fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from([0xff, ...bytes])),
      fc.constantFrom(
        '',
        '{',
        '{"name": "a",}',
        'null',
        '[]',
        '"x"',
        `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
        'NaN',
      ),
    ),
    fc.constantFrom(
      'application/json',
      'application/json',
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
    ),
  )
  .map(([id, payload, type]) => requestOf(id, { payload, headers: { ...requestOf(id).headers, 'content-type': type } }))

const paged = idsWhere(({ query }) => query?.properties.limit !== undefined)
const badQuery = fc
  .tuple(
    fc.constantFrom(...paged),
    fc.oneof(
      fc.constantFrom(
        'limit=0',
        'limit=-1',
        'limit=1001',
        'limit=1e3',
        'limit=',
        'limit=1&limit=2',
        'limit[]=1',
        'limit=NaN',
      ),
      fc
        .string({ unit: anyCodePoint, minLength: 1_001, maxLength: 1_100 })
        .map((each) => `cursor=${encodeURIComponent(each.toWellFormed())}`),
    ),
  )
  // A query that names a tag names one of the team's: only the page is wrong.
  .filter(([, query]) => !query.startsWith('limit[]'))
  .map(([id, query]) => requestOf(id, { url: addressOf(id, as.tagId, `tagId=${as.tagId}&${query}`) }))

/** Unknown ids. Where a body is required none is sent, which is refused as well. */
const badPath = fc
  .tuple(
    anId(({ path }) => path.includes('{')),
    fc.oneof(text, fc.constantFrom('', ' ', '.', '..', '__proto__', 'x'.repeat(20_000))),
  )
  .map(([id, value]) => requestOf(id, { url: addressOf(id, value === '.' || value === '..' ? `${value} ` : value) }))

const isRoute = (id: OperationId, method: string) =>
  Object.values(rows).some((row) => row.path === rows[id]!.path && row.method === method)

/** Addresses and methods without an operation. */
const noRoute = fc
  .tuple(anId(), fc.constantFrom('PATCH', 'TRACE', 'PROPFIND'), fc.boolean(), text)
  .map(([id, method, isMethod, more]) =>
    isMethod && !isRoute(id, method)
      ? requestOf(id, { method })
      : requestOf(id, { url: `${addressOf(id)}/no/${encodeURIComponent(more)}/such/thing` }),
  )

/** The OpenAPI document's schema for an answer with this status. */
const document = buildOpenapi({
  baseUrl: 'https://aglet.example/v1',
  tagUrl: 'https://aglet.example/t/{tagId}',
  brand: 'Service',
}) as unknown as {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content: { 'application/json': { schema: unknown } } }> }>
  >
  components: { schemas: Record<string, unknown> }
}
function whole(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(whole)
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref } = schema as { $ref?: string }
  if ($ref) return whole(document.components.schemas[$ref.replace('#/components/schemas/', '')])
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, whole(value)]))
}
const errorSchema = compileValidator(whole(document.components.schemas.ErrorObject) as TSchema)
const described = new Map<string, Validator | undefined>()
function checkOf({ id }: Request, status: number): Validator | undefined {
  const name = `${id} ${status}`
  if (!described.has(name)) {
    const { path, method } = rows[id]!
    const said = document.paths[path]![method.toLowerCase()]!.responses[status]
    described.set(name, said && compileValidator(whole(said.content['application/json'].schema) as TSchema))
  }
  return described.get(name)
}

const told = new Map<number, number>()
/** Faults of the whole server, which no operation lists. */
const ofServer = new Set(['NOT_FOUND', 'METHOD_NOT_ALLOWED', 'HTTP_BROKEN'])

async function refused(asked: Request): Promise<void> {
  const { method, url, headers, payload } = asked
  const answer = await control.app.inject({
    method: method as 'GET',
    url,
    headers,
    ...(payload !== undefined && { payload }),
  })
  const { statusCode: status, body } = answer
  assert.ok(status >= 400 && status < 500, `${status}: ${body.slice(0, 500)} ${JSON.stringify(control.lines.at(-1))}`)
  const error = JSON.parse(body) as { statusCode: number; error: string }
  assert.deepEqual(errorSchema(error), [])
  assert.equal(error.statusCode, status)
  if (!ofServer.has(error.error)) {
    const checkError = checkOf(asked, status)
    assert.ok(checkError, `the document does not say that ${asked.id} answers ${status} ${error.error}`)
    assert.deepEqual(checkError(error), [])
  }
  told.set(status, (told.get(status) ?? 0) + 1)
}

const entries = async () => {
  const { rows } = await control.environments.production.store.audit(as.teamId, { limit: 200 })
  return rows.length
}

test(`${requests} requests with something wrong are refused as the OpenAPI document says (seed ${seed})`, async () => {
  const before = await entries()
  const any = fc.oneof(
    { arbitrary: badBody, weight: 8 },
    { arbitrary: badPath, weight: 4 },
    ...[badCaller, badBytes, badQuery, noRoute].map((arbitrary) => ({ arbitrary, weight: 2 })),
  )
  await fc.assert(fc.asyncProperty(any, refused), { numRuns: requests, seed })
  assert.equal(await entries(), before, 'nothing was changed')
  assert.equal(
    [...told.values()].reduce((sum, count) => sum + count, 0),
    requests,
  )
  // Only two operations answer 407: a run may call neither. test/contract.test.ts has a case for each.
  for (const status of [400, 401, 403, 404, 405, 406, 409, 415]) assert.ok(told.has(status), `no ${status} among them`)
  assert.deepEqual(
    control.lines.filter(({ level }) => level === 'error'),
    [],
  )
})
