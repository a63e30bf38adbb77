import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { client } from '#contract/client.ts'
import { publishPolicy } from '#policy/policy.ts'
import { ask, type Customer, makeCustomer, makeScript, openControl, sinkBody } from '../../test/fake/control.ts'

const control = await openControl()
after(control.close)
const as = await makeCustomer(control)
const world = control.worlds.production
const publish = (policyType: Parameters<typeof publishPolicy>[1]['policyType'], version: string, required = false) =>
  publishPolicy(world, { policyType, version, required }, 'operator')
const read = async (policyId: string, who = as) => {
  const { status, body } = await ask(control, 'readPolicy', who, { values: { policyId } })
  return status === 200 ? body : [status, body.error]
}
const accept = (policyType: string, version: string, who = as) =>
  ask(control, 'acceptPolicy', who, { body: { policyType, version } })

test('before anything is published there is no policy', async () => {
  const told = await ask(control, 'readLatestPolicies', as)
  assert.deepEqual([told.status, told.body.error], [409, 'POLICY_NOT_FOUND'])
  assert.deepEqual(await read('TERMS_AND_CONDITIONS'), [409, 'POLICY_NOT_FOUND'])
})

test('the latest version of each type is listed, or of one type', async () => {
  await publish('TERMS_AND_CONDITIONS', '2026-10')
  await publish('PRIVACY_POLICY', '1')
  await publish('TERMS_AND_CONDITIONS', '2026-11')
  const terms = { policyType: 'TERMS_AND_CONDITIONS', version: '2026-11' }
  const privacy = { policyType: 'PRIVACY_POLICY', version: '1' }
  assert.deepEqual((await ask(control, 'readLatestPolicies', as)).body, { policies: [terms, privacy] })
  const values = { policyType: 'PRIVACY_POLICY' }
  assert.deepEqual((await ask(control, 'readLatestPolicies', as, { values })).body, { policies: [privacy] })
})

test('what a team accepts is accepted by the team, that version alone, and for no other team', async () => {
  const stranger = await makeCustomer(control)
  assert.deepEqual((await accept('TERMS_AND_CONDITIONS', '2026-10')).body, {})
  const [terms, before, now] = ['TERMS_AND_CONDITIONS', '2026-10', '2026-11']
  assert.deepEqual(await read(`${terms}@${before}`), { policyType: terms, version: before, accepted: true })
  assert.deepEqual(await read(terms), { policyType: terms, version: now, accepted: false })
  assert.deepEqual(await read(`${terms}@${before}`, stranger), { policyType: terms, version: before, accepted: false })
})

test('who accepted what, when and from where is kept; accepting again changes nothing of it', async () => {
  const first = { teamId: as.teamId, policyType: 'PRIVACY_POLICY', version: '1', by: as.tokenId, from: '127.0.0.1' }
  const at = control.clock.now()
  await accept('PRIVACY_POLICY', '1')
  control.clock.set(1_000)
  assert.equal((await accept('PRIVACY_POLICY', '1')).status, 200)
  await world.store.write([{ add: 'acceptance', row: { ...first, policyType: 'PRIVACY_POLICY', by: 'tok_2', at: 1 } }])
  const kept = (await world.store.acceptances(as.teamId)).filter(({ policyType }) => policyType === 'PRIVACY_POLICY')
  assert.deepEqual(kept, [{ ...first, at }])
})

test('a version that does not exist, or a type that is none, cannot be accepted', async () => {
  assert.deepEqual([(await accept('PRIVACY_POLICY', '9')).status, (await accept('COOKIES', '1')).status], [409, 400])
})

test('a required policy gates POST /script alone, until its latest version is accepted', async () => {
  const scriptId = await makeScript(control, as, { name: 'before' })
  await publish('DATA_PROCESSING_AGREEMENT', '1', true)
  const create = async (more = {}) => ask(control, 'createScript', as, { body: await sinkBody(control, as, more) })
  const told = await create({ name: 'gated' })
  assert.deepEqual([told.status, told.body.error], [403, 'POLICY_NOT_ACCEPTED'])
  assert.deepEqual(told.body.attributes, { policies: [{ policyType: 'DATA_PROCESSING_AGREEMENT', version: '1' }] })

  const update = { values: { scriptId }, body: await sinkBody(control, as, { name: 'before' }) }
  assert.equal((await ask(control, 'updateScript', as, update)).status, 200)
  assert.equal((await ask(control, 'createTag', as, { body: { name: 'b', domain: 'b.example' } })).status, 200)

  await accept('DATA_PROCESSING_AGREEMENT', '1')
  assert.equal((await create({ name: 'accepted' })).status, 200)
  await publish('DATA_PROCESSING_AGREEMENT', '2', true)
  assert.equal((await create({ name: 'newer' })).status, 403)
})

test('the policy is looked at after tag and provider, and before the meaning of what is sent', async () => {
  await publish('DATA_PROCESSING_AGREEMENT', '3', true)
  const create = async (more: Record<string, unknown>) =>
    (await ask(control, 'createScript', as, { body: await sinkBody(control, as, more) })).body.error
  assert.equal(await create({ tagId: 'tag_none' }), 'TAG_NOT_FOUND')
  assert.equal(await create({ providerId: 'yotpo' }), 'PROVIDER_NOT_AVAILABLE')
  assert.equal(await create({ geoRegions: 'Atlantis' }), 'POLICY_NOT_ACCEPTED')
  assert.equal(await create({ name: 7 }), 'BAD_REQUEST')
})

test('a sandbox has policies and acceptances of its own', async () => {
  const sandbox = await makeCustomer(control, { environment: 'sandbox' })
  assert.deepEqual(await read('PRIVACY_POLICY', sandbox), [409, 'POLICY_NOT_FOUND'])
})

/** A 407 as it is on the wire: fetch takes it for a proxy's and tells nothing of it. */
async function get(path: string, { token, teamId }: Customer = as) {
  const { port } = control.app.server.address() as AddressInfo
  const headers = { authorization: `Bearer ${token}`, 'team-id': teamId }
  const asked = request({ port, host: '127.0.0.1', path: `/v1${path}`, headers }).end()
  const [answer] = await once(asked, 'response')
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
  const asked: string[] = []
  const api = client({
    baseUrl: 'https://aglet.example/v1',
    fetch: async (url) => {
      asked.push(String(url))
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
  assert.deepEqual(asked, [base, `${base}?policyType=PRIVACY_POLICY`])
})
