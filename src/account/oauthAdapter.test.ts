import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApplicationRecord } from '#store/accounts.ts'
import { createAccountFixture } from './account.fixture.ts'
import type { AccountDeps } from './accountDeps.ts'
import { createOAuthAdapter, matchesSecret } from './oauthAdapter.ts'

const application: ApplicationRecord = {
  ...{
    applicationId: 'app_1',
    teamId: 'team_1',
    name: 'Reports',
    redirectUris: [],
    scopes: ['event:read', 'tag:read'],
  },
  ...{ createdAt: 1, approvedAt: 2 },
}

/** An application as a client of the library. */
async function clientOf(more: Partial<ApplicationRecord>) {
  const { clock, keys, environment, store } = createAccountFixture()
  const accounts = { application: async (id: string) => (id === 'app_1' ? { ...application, ...more } : undefined) }
  const deps = { clock, keys, environment, store: { ...store, accounts } } as unknown as AccountDeps
  return createOAuthAdapter(deps)('Client').find('app_1')
}

test('an application is native if all its loopback addresses use http, and a web application otherwise', async () => {
  const typeOf = async (...redirectUris: string[]) => (await clientOf({ redirectUris }))!.application_type
  const [web, local] = ['https://reports.example/back', 'http://127.0.0.1/back']
  assert.equal(await typeOf(local), 'native')
  assert.equal(await typeOf(web, local, 'http://localhost:8080/back', 'http://[::1]/back'), 'native')
  assert.equal(await typeOf(web), 'web')
  assert.equal(await typeOf(), 'web')
  assert.equal(await typeOf(local, 'https://localhost/back'), 'web', 'the library refuses https there')
  assert.equal(await typeOf('http://127.0.0.2/back'), 'web', 'no loopback address to the library')
})

test('an application may do what it is registered for: sign people in with an address, act itself with a secret', async () => {
  const secretHash = new Uint8Array([1])
  const grants = async (more: Partial<ApplicationRecord>) => {
    const { grant_types, response_types, token_endpoint_auth_method } = (await clientOf(more))!
    return { grant_types, response_types, token_endpoint_auth_method }
  }
  const people = ['authorization_code', 'refresh_token']
  const redirectUris = ['https://reports.example/back']
  assert.deepEqual(await grants({ redirectUris }), {
    ...{ grant_types: people, response_types: ['code'], token_endpoint_auth_method: 'none' },
  })
  assert.deepEqual(await grants({ secretHash }), {
    ...{ grant_types: ['client_credentials'], response_types: [], token_endpoint_auth_method: 'client_secret_basic' },
  })
  assert.deepEqual((await grants({ redirectUris, secretHash })).grant_types, [...people, 'client_credentials'])
  assert.equal((await clientOf({}))!.scope, 'event:read tag:read')
})

test('an application that is not approved, or does not exist, is no client', async () => {
  const { approvedAt: _, ...pending } = application
  const { clock, keys, environment, store } = createAccountFixture()
  const accounts = { application: async (id: string) => (id === 'app_1' ? pending : undefined) }
  const deps = { clock, keys, environment, store: { ...store, accounts } } as unknown as AccountDeps
  const find = createOAuthAdapter(deps)('Client').find
  assert.deepEqual([await find('app_1'), await find('app_2')], [undefined, undefined])
})

test('the secret and, until it ends, the previous one are valid', async () => {
  const [secretHash, before] = [new Uint8Array([1, 2, 3]), new Uint8Array([4, 5, 6])]
  const { clock } = createAccountFixture()
  const accepts = async (until: number) => {
    const { client_secret } = (await clientOf({ secretHash, secretBefore: { hash: before, until } }))!
    return [secretHash, before, new Uint8Array([7, 8, 9])].map((hash) => matchesSecret(hash, client_secret!))
  }
  assert.deepEqual(await accepts(clock.now() + 1), [true, true, false])
  assert.deepEqual(await accepts(clock.now()), [true, false, false])
})
