import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomerScope } from '#contract/scopes.ts'
import type { ApplicationRecord } from '#store/accounts.ts'
import type { StoreChange, TokenRecord } from '#store/store.ts'
import { createAccountFixture, faultOf } from './account.fixture.ts'
import type { AccountDeps } from './accountDeps.ts'
import { issueToken } from './application.ts'
import { operatorHolder } from './privilege.ts'
import { createTeam } from './team.ts'

const registered = {
  ...{ applicationId: 'app_1', name: 'Reports', redirectUris: [] },
  ...{ scopes: ['event:read', 'tag:read'] satisfies CustomerScope[], createdAt: 1, approvedAt: 2 },
}

async function openApplication() {
  const fixture = createAccountFixture()
  const { teamId } = await createTeam(fixture, 'shop', 'operator')
  const application = { ...registered, teamId }
  const tokens: TokenRecord[] = []
  const state: { application?: ApplicationRecord | undefined } = { application }
  const write = async (changes: readonly StoreChange[]) => {
    for (const change of changes) if ('add' in change && change.add === 'token') tokens.push(change.row)
    await fixture.store.write(changes)
  }
  const accounts = {
    application: async () => state.application,
    issuedTokens: async (applicationId: string) => tokens.filter((each) => each.application === applicationId),
  }
  const deps = { ...fixture, store: { ...fixture.store, write, accounts } } as unknown as AccountDeps
  const issue = (request: { scopes: CustomerScope[]; expires?: string }, of: ApplicationRecord = application) =>
    issueToken(deps, of, request, operatorHolder)
  return { ...fixture, application, state, issue }
}

test('a token that an application is issued is described by its own scopes and its own end', async () => {
  const { issue, store, keys, clock } = await openApplication()
  const first = await issue({ scopes: ['event:read'] })
  const second = await issue({ scopes: ['tag:read'], expires: '1d' })
  assert.deepEqual([first.scopes, second.scopes], [['event:read'], ['tag:read']])
  assert.equal(second.expiresAt, clock.now() + 86_400_000)
  for (const { token, tokenId } of [first, second])
    assert.equal((await store.token(keys.hashToken(token)))?.tokenId, tokenId)
})

test('an application is issued no scope that it is not registered for', async () => {
  const { issue } = await openApplication()
  const refused = await faultOf(issue({ scopes: ['event:read', 'event:write'] }))
  assert.equal(refused.fault, 'badRequest')
  assert.match(JSON.stringify(refused.attributes), /not registered for event:write"/)
})

test('an application that is not approved, or was deleted meanwhile, is issued no token', async () => {
  const { application, issue, state } = await openApplication()
  const { approvedAt: _, ...pending } = application
  assert.equal((await faultOf(issue({ scopes: ['event:read'] }, pending))).fault, 'applicationNotApproved')
  state.application = undefined
  assert.equal((await faultOf(issue({ scopes: ['event:read'] }))).fault, 'applicationUnknown')
})
