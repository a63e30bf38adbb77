import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roleScopes } from '#account/roleScopes.ts'
import type { Operation } from '#contract/operation.ts'
import { operations } from '#contract/operations.ts'
import { actionIds, actions, mayDo } from './actions.ts'
import { pageIds } from './addresses.ts'

/** Operations that change something or return a file, and are not in `actions`: where they are done instead. */
const elsewhere: Readonly<Record<string, string>> = {
  signIn: 'the page of sign-in',
  signOut: 'an entry of its own in the palette and the menu of the person',
  createPerson: 'the page of an invitation, which works without scripts',
  acceptInvitation: 'the page of an invitation, which works without scripts',
  confirmEmail: 'the page of the link in the e-mail, which works without scripts',
  linkSandbox: 'the page of the person, in production alone',
  unlinkSandbox: 'the same place as linkSandbox',
  patchScript: 'the same places as updateScript',
  checkTagConfig: 'the plan of applyTagConfig',
  putOrders: 'shops and the command line send orders',
  setReconciliation: 'the API',
  approveApplication: 'the operator approves on the own page: approvePendingApplication',
}

test('everything that a person may do is offered by the palette, or is done at a named place', () => {
  const changing = Object.entries<Operation>(operations).filter(
    ([, { method, isExport }]) => method !== 'GET' || isExport,
  )
  const missing = changing.map(([id]) => id).filter((id) => !(id in actions) && !(id in elsewhere))
  assert.deepEqual(missing, [])
  for (const id of Object.keys(elsewhere)) assert.ok(id in operations && !(id in actions), id)
  for (const id of actionIds) assert.ok(pageIds.includes(actions[id].page), id)
})

test('a viewer is offered no change, an owner everything of the team, and the operator the server alone', () => {
  const offered = (scopes: readonly string[], isOperator = false) =>
    actionIds.filter((id) => mayDo(id, { scopes: scopes as ReturnType<typeof roleScopes>, isOperator }))
  const own = ['endSession', 'forgetDevice', 'endGrant', 'updatePerson']
  const forViewers = ['exportTag', ...own]
  assert.deepEqual(
    offered(roleScopes('viewer')),
    actionIds.filter((id) => forViewers.includes(id)),
  )
  const ofOperator = ['createTeam', 'approvePendingApplication', 'publishPolicy']
  assert.deepEqual(
    offered(roleScopes('owner')),
    actionIds.filter((id) => !ofOperator.includes(id)),
  )
  assert.deepEqual(
    offered([], true),
    actionIds.filter((id) => [...own, ...ofOperator].includes(id)),
  )
})
