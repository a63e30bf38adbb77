import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopes } from '#contract/scopes.ts'
import { roleScopes } from '../../account/roleScopes.ts'
import { lowestRole } from './roleOf.ts'

test('the role that a disabled control names is the lowest that has the scope', () => {
  for (const scope of scopes) {
    const role = (['viewer', 'editor', 'owner'] as const).find((each) => roleScopes(each).includes(scope))
    assert.equal(lowestRole([scope]), role, scope)
  }
  assert.equal(lowestRole(['tag:read', 'script:write']), 'editor')
})
