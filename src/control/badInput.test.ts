import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { ErrorObject } from '#contract/errorObject.ts'
import { type OperationId, operations } from '#contract/operations.ts'
import { compileValidator } from '#contract/validator.ts'
import { anyCodePoint } from '../../test/fake/anyCodePoint.ts'
import { cases } from '../../test/fake/cases.ts'
import { makePerson, makeSession } from '../../test/fake/sessionCases.ts'
import {
  type ControlAnswer,
  type ControlRequest,
  callControl,
  makeCustomer,
  makeScript,
  openTestControl,
  sinkBody,
} from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const as = await makeCustomer(control)
const scriptId = await makeScript(control, as)
const production = control.environments.production
const person = await makePerson(production, 'ada@example.com')
/** A session for operations that need one; the customer's token for all others. */
async function headersOf(id: OperationId): Promise<Record<string, string>> {
  return operations[id].access === 'session' ? { authorization: `Bearer ${await makeSession(production, person)}` } : {}
}
const isError = compileValidator(ErrorObject)

/** Asserts a status below 500, and for a 400 an Error object with issues. */
function assertValidResponse({ status, body }: ControlAnswer, what: unknown) {
  assert.ok(status < 500, `${status} for ${JSON.stringify(what)}: ${JSON.stringify(control.lines.at(-1))}`)
  if (status !== 200) assert.deepEqual(isError(body), [])
  if (status === 400) assert.ok(Array.isArray(body.attributes?.issues) && body.attributes.issues.length > 0)
}

const wrongValues: [string, unknown][] = [
  ['missing', undefined],
  ['null', null],
  ['wrong type', 7],
  ['true', true],
  ['empty', ''],
  ['blank', ' \t'],
  ['too long', 'x'.repeat(20_000)],
  ['unicode', '日本語 😀 \u202e'],
  ['control characters', '\u0000\u0007\u001b[31m'],
  ['half a character', '\ud800'],
  ['huge number', 1e308],
  ['a list', ['a', null]],
  ['nested', { a: { b: [{}] } }],
  ['__proto__', JSON.parse('{"__proto__": {"a": 1}}')],
]
const configBody = async () => ({
  tagId: as.tagId,
  tag: { gpc: true },
  scripts: [await sinkBody(control, as, { name: 'of a config', geoRegions: 'EU', scriptId: undefined })],
  removedScriptIds: [],
  shouldDeploy: true,
})
const bodies: Partial<Record<OperationId, () => Promise<Record<string, unknown>>>> = {
  createScript: () =>
    sinkBody(control, as, {
      name: 'new',
      shouldDeploy: true,
      consentCategory: 'analytics',
      geoRegions: 'EU',
      purchaseValueMode: 'net',
    }),
  updateScript: () =>
    sinkBody(control, as, {
      shouldDeploy: true,
      consentCategory: 'analytics',
      geoRegions: 'EU',
      purchaseValueMode: 'net',
    }),
  createTag: async () => ({
    name: 'new',
    domain: 'a.com',
    allowedOrigins: [],
    consent: 'enabled',
    gpc: true,
    sameSite: 'Lax',
    serverToken: 'optional',
  }),
  updateTag: async () => ({
    name: 'new',
    domain: 'a.com',
    hosts: [],
    allowedOrigins: [],
    consent: 'enabled',
    gpc: true,
    sameSite: 'Lax',
    serverToken: 'optional',
    sdkVersion: 'latest',
    edgeVersion: 'latest',
  }),
  applyTagConfig: () => configBody(),
  checkTagConfig: async () => ({ ...(await configBody()), newTags: 0 }),
  createHook: async () => ({ name: 'new', url: 'https://ci.example.com/' }),
  signIn: async () => ({ email: 'ada@example.com', password: 'correct horse' }),
  createPerson: async () => ({ invitation: 'nope', name: 'Ada', email: 'b@example.com', password: 'correct horse' }),
  updatePerson: async () => ({ name: 'Ada', email: 'ada@example.com', password: null }),
  acceptInvitation: async () => ({ invitation: 'nope' }),
}

for (const id of ['applyTagConfig', 'checkTagConfig'] as const)
  test(`${id}: for any value of a field of the tag or of a script the response is 200 or an Error object`, async () => {
    const good = await configBody()
    const tag = { name: 'shop', domain: 'example.com', hosts: [], sources: [], plugins: [], hold: 'off' }
    const script = { ...good.scripts[0], consentCategory: 'analytics', purchaseValueMode: 'net' }
    for (const [what, value] of wrongValues) {
      for (const field of Object.keys(tag)) {
        const body = { ...good, tag: { ...tag, [field]: value }, scripts: [] }
        assertValidResponse(await callControl(control, id, as, { body }), { field, what })
      }
      for (const field of Object.keys(script)) {
        const body = { ...good, scripts: [{ ...script, name: `config ${field} ${what}`, [field]: value }] }
        assertValidResponse(await callControl(control, id, as, { body }), { field, what })
      }
    }
  })

for (const [id, make] of Object.entries(bodies) as [OperationId, () => Promise<Record<string, unknown>>][]) {
  test(`${id}: for any value of a field the response is 200 or an Error object with its path`, async () => {
    const [good, headers] = [await make(), await headersOf(id)]
    for (const field of Object.keys(good)) {
      for (const [what, value] of wrongValues) {
        const body = { ...good, name: `${good.name} ${field} ${what}`, [field]: value }
        assertValidResponse(
          await callControl(control, id, as, { values: { scriptId, tagId: as.tagId }, body, headers }),
          {
            field,
            what,
          },
        )
      }
    }
  })

  test(`${id}: a body that is not an object, or repeats a field, gets 200 or an Error object`, async () => {
    const headers = await headersOf(id)
    for (const payload of ['null', '[]', '1', '"x"', '{"name":"a","name":1}', '{}']) {
      const response = await callControl(control, id, as, { values: { scriptId, tagId: as.tagId }, payload, headers })
      const isMeant = ['updateTag', 'updatePerson'].includes(id) && payload === '{}'
      if (!isMeant) assert.deepEqual([response.status, response.body.error], [400, 'BAD_REQUEST'])
      assertValidResponse(response, payload)
    }
  })
}

test('a secret entry with any values gets 200 or an Error object', async () => {
  const good = await sinkBody(control, as)
  const [entry] = good.secrets
  for (const field of ['variable', 'type', 'optional', 'data', 'iv', 'key', 'salt']) {
    for (const [what, value] of wrongValues) {
      const body = { ...good, name: `${field} ${what}`, secrets: [{ ...entry, [field]: value }] }
      assertValidResponse(await callControl(control, 'createScript', as, { body }), { field, what })
    }
  }
})

test('any ids, cursors and limits get 200 or an Error object', async () => {
  const text = fc.oneof(
    fc.string({ unit: anyCodePoint }),
    fc.webPath(),
    fc.constantFrom('0', '-1', '201', '1e9', '__proto__', 'NaN'),
  )
  const ids: OperationId[] = [
    'readScript',
    'deleteScript',
    'listScripts',
    'readTag',
    'listEvents',
    'readEvent',
    'listTags',
    'deployTag',
    'listDeployments',
    'activateDeployment',
    'listHooks',
    'deleteHook',
    'pauseScript',
  ]
  const anything = fc.record({
    id: fc.constantFrom(...ids),
    scriptId: text,
    tagId: text,
    eventId: text,
    hookId: text,
    number: text,
    cursor: text,
    limit: text,
  })
  await fc.assert(
    fc.asyncProperty(anything, fc.boolean(), async ({ id, ...values }, isOwn) => {
      const request: ControlRequest = { values: { ...values, ...(isOwn && { tagId: as.tagId }) } }
      assertValidResponse(await callControl(control, id, as, request), request)
    }),
    { numRuns: cases(300) },
  )
})

test('no bad input is logged as a bug', () => {
  assert.deepEqual(
    control.lines.filter(({ level }) => level === 'error'),
    [],
  )
})
