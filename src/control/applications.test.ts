import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createToken } from '#account/token.ts'
import type { Application, CreatedApplication } from '#contract/account.ts'
import { everyScope, type Scope, scopes } from '#contract/scopes.ts'
import {
  type ControlAnswer,
  type ControlRequest,
  type Customer,
  callControl,
  makeCustomer,
  openTestControl,
} from '../../test/fake/testControl.ts'

const control = await openTestControl()
after(control.close)
const production = control.environments.production
const customer = await makeCustomer(control)
const stranger = await makeCustomer(control)
const operator = await createToken(production, { teamId: stranger.teamId, scopes: everyScope }, 'operator')

const call = (id: Parameters<typeof callControl>[1], request: ControlRequest = {}, as: Customer = customer) =>
  callControl(control, id, as, request)
const bearer = (token: unknown) => ({ authorization: `Bearer ${token}` })
let createdCount = 0
async function newApplication(granted: readonly Scope[] = scopes, as = customer): Promise<CreatedApplication> {
  const response = await call('createApplication', { body: { name: `app ${++createdCount}`, scopes: granted } }, as)
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body as unknown as CreatedApplication
}
const approve = (applicationId: string) =>
  call('approveApplication', { values: { applicationId }, headers: bearer(operator.token) }, stranger)
async function newApproved(granted?: readonly Scope[]) {
  const { applicationId } = await newApplication(granted)
  await approve(applicationId)
  return applicationId
}
const issue = (
  applicationId: string,
  body: object = { scopes: ['tag:read'] },
  more: ControlRequest = {},
): Promise<ControlAnswer> => call('createApplicationToken', { values: { applicationId }, body, ...more })
const works = async (token: unknown) => (await call('readMe', { headers: bearer(token) })).status === 200
const applications = async () => (await call('listApplications')).body.applications as Application[]

test('an application is pending until the operator approves it; its secret is shown once and stored as a hash', async () => {
  const { applicationId, clientSecret, status } = await newApplication(['tag:read'])
  assert.match(applicationId, /^app_[0-9a-z]{26}$/)
  assert.match(`${clientSecret}`, /^aglet_secret_[0-9A-Za-z]{43}$/)
  assert.equal(status, 'pending')
  assert.equal((await approve(applicationId)).body.status, 'approved')
  const listed = (await applications()).find((each) => each.applicationId === applicationId)
  assert.equal(listed?.status, 'approved')
  assert.ok(!JSON.stringify([listed, control.lines]).includes(clientSecret!))
  const again = await approve(applicationId)
  assert.equal(again.status, 200, 'approved twice is approved')
})

test('a team cannot approve its own application', async () => {
  const { applicationId } = await newApplication()
  const response = await call('approveApplication', { values: { applicationId } })
  assert.deepEqual([response.status, response.body.attributes], [403, { missing: ['application:approve'] }])
})

test('two tokens of an application are valid at the same time, so that a new one is issued before the old one is revoked', async () => {
  const applicationId = await newApproved()
  const [old, fresh] = [(await issue(applicationId)).body, (await issue(applicationId)).body]
  assert.equal((await issue(applicationId)).body.error, 'TOO_MANY_TOKENS')
  assert.ok((await works(old.token)) && (await works(fresh.token)))
  const listed = (await applications()).find((each) => each.applicationId === applicationId)
  assert.deepEqual(
    listed?.tokens.map(({ tokenId }) => tokenId),
    [old.tokenId, fresh.tokenId],
  )
  await call('deleteToken', { values: { tokenId: String(old.tokenId) } })
  await control.clock.turn(5_000)
  assert.deepEqual([await works(old.token), await works(fresh.token)], [false, true])
  assert.equal((await issue(applicationId)).status, 200)
})

test('an application gets at most two tokens, also from concurrent requests', async () => {
  const applicationId = await newApproved()
  const responses = await Promise.all(Array.from({ length: 6 }, () => issue(applicationId)))
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 200, 409, 409, 409, 409])
})

test('a token expires after the requested time, 90 days by default, and then makes room for another', async () => {
  const applicationId = await newApproved()
  const short = (await issue(applicationId, { scopes: ['tag:read'], expires: '1m' })).body
  const long = (await issue(applicationId, { scopes: ['tag:read'], expires: null })).body
  assert.deepEqual(
    [short.expiresAt, long.expiresAt],
    [control.clock.now() + 60_000, control.clock.now() + 90 * 86_400_000],
  )
  await control.clock.turn(60_000)
  assert.ok(!(await works(short.token)))
  assert.equal((await issue(applicationId)).status, 200)
  assert.equal((await issue(applicationId, { scopes: ['tag:read'], expires: '1w' })).status, 400)
})

test('a caller grants an application or a token only scopes that it has itself', async () => {
  const narrowToken = await createToken(
    production,
    { teamId: customer.teamId, scopes: ['application:write', 'tag:read'] },
    'operator',
  )
  const asNarrow = { headers: bearer(narrowToken.token) }
  const body = { name: 'greedy', scopes: ['tag:read', 'user:erase'] }
  const registered = await call('createApplication', { body, ...asNarrow })
  assert.deepEqual([registered.status, registered.body.attributes], [403, { missing: ['user:erase'] }])
  const applicationId = await newApproved()
  assert.equal((await issue(applicationId, { scopes: ['user:erase'] }, asNarrow)).status, 403)
  const narrow = await newApproved(['tag:read'])
  assert.equal((await issue(narrow, { scopes: ['tag:read', 'tag:write'] })).status, 400)
})

test('an application cannot request the operator’s scopes', async () => {
  const body = { name: 'operator', scopes: ['application:approve'] }
  assert.equal((await call('createApplication', { body })).status, 400)
  assert.equal((await issue(await newApproved(), { scopes: ['application:approve'] })).status, 400)
})

test('a redirect URI is https or loopback, without fragment or user', async () => {
  const good = ['https://app.example/cb?x=1', 'http://127.0.0.1:8000/cb', 'http://localhost/cb', 'http://[::1]:1/cb']
  const bad = [
    'http://app.example/cb',
    'https://app.example/#x',
    'https://a:b@app.example/',
    'data:text/html,x',
    'app://cb',
    'x',
    ...[';', ',', "'", '*', '"', '$', '`', '%27', '%2a'].map((sign) => `https://app${sign}x.example/cb`),
    'https://*.app.example/cb',
    ...[' ', '\u202e', '\\', 'ä', '\n', '<', '"'].map((sign) => `https://app.example/${sign}x`),
    'https://ａpp.example/cb',
  ]
  const register = (redirectUris: string[], more = {}) =>
    call('createApplication', { body: { name: `app ${++createdCount}`, scopes: ['tag:read'], redirectUris, ...more } })
  assert.equal((await register(good)).status, 200)
  for (const uri of bad) {
    const response = await register([good[0]!, uri])
    assert.equal(response.status, 400, uri)
    assert.equal((response.body.attributes!.issues as { path: string }[])[0]?.path, 'redirectUris.1')
  }
  assert.equal((await register([], { isPublic: true })).status, 400)
})

test('every change is in the audit of its team, with the actor and the IP address', async () => {
  const applicationId = await newApproved()
  const { tokenId } = (await issue(applicationId)).body
  await call('deleteToken', { values: { tokenId: String(tokenId) } })
  const { rows } = await production.store.audit(customer.teamId, { limit: 10 })
  assert.deepEqual(
    rows.slice(0, 4).map(({ what, by, object }) => [what, by, object]),
    [
      ['deleteToken', customer.tokenId, tokenId],
      ['createToken', customer.tokenId, tokenId],
      ['approveApplication', operator.tokenId, applicationId],
      ['createApplication', customer.tokenId, applicationId],
    ],
  )
  for (const { from } of rows.slice(0, 4)) assert.equal(from, '127.0.0.1')
  const grant = { application: applicationId, scopes: ['tag:read'] }
  assert.deepEqual([rows[0]?.before, rows[1]?.after], [grant, grant])
})
