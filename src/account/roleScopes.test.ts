import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '#contract/account.ts'
import { scopes } from '#contract/scopes.ts'
import { roleScopes } from './roleScopes.ts'

test('an owner has every customer scope, a viewer only reads, and each role has all scopes of the next lower one', () => {
  assert.deepEqual(roleScopes('owner'), scopes)
  assert.ok(roleScopes('viewer').every((scope) => scope.endsWith(':read')))
  for (const [at, role] of roles.slice(1).entries())
    for (const scope of roleScopes(role)) assert.ok(roleScopes(roles[at]!).includes(scope), `${role} ${scope}`)
})

test('applications and policies are for owners only; user data is not for viewers', () => {
  for (const scope of ['application:write', 'policy:accept', 'audit:read'] as const)
    assert.ok(!roleScopes('editor').includes(scope))
  assert.ok(roleScopes('editor').includes('user:read') && !roleScopes('viewer').includes('user:read'))
})
