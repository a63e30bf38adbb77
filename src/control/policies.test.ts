import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { client } from '#contract/client.ts'
import { publishPolicy } from '#policy/policy.ts'
import {
  type Customer,
  callControl,
  makeCustomer,
  makeScript,
  openTestControl,
  sinkBody,
} from '../../test/fake/testControl.ts'
import { withoutProvider } from '../../test/fake/withoutProvider.ts'

const control = await openTestControl()
after(control.close)
const as = await makeCustomer(control)
const production = control.environments.production
const publish = (policyType: Parameters<typeof publishPolicy>[1]['policyType'], version: string, required = false) =>
  publishPolicy(production, { policyType, version, required }, 'operator')
const read = async (policyId: string, who = as) => {
  const { status, body } = await callControl(control, 'readPolicy', who, { values: { policyId } })
  return status === 200 ? body : [status, body.error]
}
const accept = (policyType: string, version: string, who = as) =>
  callControl(control, 'acceptPolicy', who, { body: { policyType, version } })

test('there is no policy until one is published', async () => {
  const response = await callControl(control, 'readLatestPolicies', as)
  assert.deepEqual([response.status, response.body.error], [409, 'POLICY_NOT_FOUND'])
  assert.deepEqual(await read('TERMS_AND_CONDITIONS'), [409, 'POLICY_NOT_FOUND'])
})

test('the latest version of each type, or of a given type, is listed', async () => {
  await publish('TERMS_AND_CONDITIONS', '2026-10')
  await publish('PRIVACY_POLICY', '1')
  await publish('TERMS_AND_CONDITIONS', '2026-11')
  const terms = { policyType: 'TERMS_AND_CONDITIONS', version: '2026-11' }
  const privacy = { policyType: 'PRIVACY_POLICY', version: '1' }
  assert.deepEqual((await callControl(control, 'readLatestPolicies', as)).body, { policies: [terms, privacy] })
  const values = { policyType: 'PRIVACY_POLICY' }
  assert.deepEqual((await callControl(control, 'readLatestPolicies', as, { values })).body, { policies: [privacy] })
})

test('an acceptance holds for its team and version only', async () => {
  const stranger = await makeCustomer(control)
  const acceptedAt = control.clock.now()
  assert.deepEqual((await accept('TERMS_AND_CONDITIONS', '2026-10')).body, {})
  const [terms, before, now] = ['TERMS_AND_CONDITIONS', '2026-10', '2026-11']
  const old = { policyType: terms, version: before, required: false }
  assert.deepEqual(await read(`${terms}@${before}`), { ...old, accepted: true, acceptedAt, by: as.tokenId })
  assert.deepEqual(await read(terms), { ...old, version: now, accepted: false })
  assert.deepEqual(await read(`${terms}@${before}`, stranger), { ...old, accepted: false })
})

test('an acceptance is stored with actor, time and IP address; accepting again does not change it', async () => {
  const first = { teamId: as.teamId, policyType: 'PRIVACY_POLICY', version: '1', by: as.tokenId, from: '127.0.0.1' }
  const at = control.clock.now()
  await accept('PRIVACY_POLICY', '1')
  control.clock.set(1_000)
  assert.equal((await accept('PRIVACY_POLICY', '1')).status, 200)
  await production.store.write([
    { add: 'acceptance', row: { ...first, policyType: 'PRIVACY_POLICY', by: 'tok_2', at: 1 } },
  ])
  const acceptances = (await production.store.acceptances(as.teamId)).filter(
    ({ policyType }) => policyType === 'PRIVACY_POLICY',
  )
  assert.deepEqual(acceptances, [{ ...first, at }])
})

test('an unknown version or type cannot be accepted', async () => {
  assert.deepEqual([(await accept('PRIVACY_POLICY', '9')).status, (await accept('COOKIES', '1')).status], [409, 400])
})

test('a required policy refuses POST /script, and nothing else, until its latest version is accepted', async () => {
  const scriptId = await makeScript(control, as, { name: 'before' })
  await publish('DATA_PROCESSING_AGREEMENT', '1', true)
  const create = async (more = {}) =>
    callControl(control, 'createScript', as, { body: await sinkBody(control, as, more) })
  const response = await create({ name: 'gated' })
  assert.deepEqual([response.status, response.body.error], [403, 'POLICY_NOT_ACCEPTED'])
  assert.deepEqual(response.body.attributes, { policies: [{ policyType: 'DATA_PROCESSING_AGREEMENT', version: '1' }] })

  const update = { values: { scriptId }, body: await sinkBody(control, as, { name: 'before' }) }
  assert.equal((await callControl(control, 'updateScript', as, update)).status, 200)
  assert.equal((await callControl(control, 'createTag', as, { body: { name: 'b', domain: 'b.example' } })).status, 200)

  await accept('DATA_PROCESSING_AGREEMENT', '1')
  assert.equal((await create({ name: 'accepted' })).status, 200)
  await publish('DATA_PROCESSING_AGREEMENT', '2', true)
  assert.equal((await create({ name: 'newer' })).status, 403)
})

test('the policy is checked after tag and provider, and before the fields of the script', async () => {
  await publish('DATA_PROCESSING_AGREEMENT', '3', true)
  const create = async (more: Record<string, unknown>) =>
    (await callControl(control, 'createScript', as, { body: await sinkBody(control, as, more) })).body.error
  assert.equal(await create({ tagId: 'tag_none' }), 'TAG_NOT_FOUND')
  const refused = await withoutProvider('yotpo', () => create({ providerId: 'yotpo' }))
  assert.equal(refused, 'PROVIDER_NOT_AVAILABLE')
  assert.equal(await create({ geoRegions: 'Atlantis' }), 'POLICY_NOT_ACCEPTED')
  assert.equal(await create({ name: 7 }), 'BAD_REQUEST')
})

test('the sandbox has separate policies and acceptances', async () => {
  const sandbox = await makeCustomer(control, { environment: 'sandbox' })
  assert.deepEqual(await read('PRIVACY_POLICY', sandbox), [409, 'POLICY_NOT_FOUND'])
})

/** Requests without `fetch`, which treats 407 as a proxy's response and hides it. */
async function get(path: string, { token, teamId }: Customer = as) {
  const { port } = control.app.server.address() as AddressInfo
  const headers = { authorization: `Bearer ${token}`, 'team-id': teamId }
  const call = request({ port, host: '127.0.0.1', path: `/v1${path}`, headers }).end()
  const [answer] = await once(call, 'response')
  return { status: answer.statusCode, body: JSON.parse(await text(answer)) }
}

test('a missing or blank policy id is 407 with the Error object', async () => {
  await control.app.listen({ port: 0, host: '127.0.0.1' })
  for (const path of [
    '/policy/',
    '/policy/%20',
    '/policy/%09%20',
    '/policy/latest?policyType=',
    '/policy/latest?policyType=%20',
  ]) {
    const { status, body } = await get(path)
    assert.deepEqual([status, body.statusCode, body.error], [407, 407, 'POLICY_ID_MISSING'], path)
  }
  assert.equal((await get('/policy/')).status, 407)
  assert.equal((await get('/policy/', { ...as, token: 'x' })).status, 401)
  assert.equal((await get('/policy')).status, 405)
})

test('the typed client refuses a blank policy id itself', async () => {
  const urls: string[] = []
  const api = client({
    baseUrl: 'https://aglet.example/v1',
    fetch: async (url) => {
      urls.push(String(url))
      return Response.json({ policies: [] })
    },
  })
  for (const policyId of ['', ' ', '\t\n']) {
    await assert.rejects(api.readPolicy({ policyId }), TypeError)
    await assert.rejects(api.readLatestPolicies({ policyType: policyId }), TypeError)
  }
  await api.readLatestPolicies({})
  await api.readLatestPolicies({ policyType: 'PRIVACY_POLICY' })
  const base = 'https://aglet.example/v1/policy/latest'
  assert.deepEqual(urls, [base, `${base}?policyType=PRIVACY_POLICY`])
})
