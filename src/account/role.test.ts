import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roles } from '#contract/account.ts'
import { scopes } from '#contract/scopes.ts'
import { scopesOf } from './role.ts'

test('an owner may do everything a customer may, a viewer reads, and each role may do what the next may', () => {
  assert.deepEqual(scopesOf('owner'), scopes)
  assert.ok(scopesOf('viewer').every((scope) => scope.endsWith(':read')))
  for (const [at, role] of roles.slice(1).entries())
    for (const scope of scopesOf(role)) assert.ok(scopesOf(roles[at]!).includes(scope), `${role} ${scope}`)
})

test('who may act for the team and what it agrees to is for owners; what is known of visitors is not for viewers', () => {
  for (const scope of ['application:write', 'policy:accept', 'audit:read'] as const)
    assert.ok(!scopesOf('editor').includes(scope))
  assert.ok(scopesOf('editor').includes('user:read') && !scopesOf('viewer').includes('user:read'))
})
