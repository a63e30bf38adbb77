import type { Access } from '#account/access.ts'
import { fault } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import { findPolicy, isAccepted, latestOf, unaccepted } from '#policy/policy.ts'
import type { ControlWorld } from './world.ts'

type Of<Id extends keyof typeof operations> = Answer<(typeof operations)[Id], ControlWorld>

/** Throws policyIdMissing where the id is there and blank. */
function refuseBlank(policyId: string | undefined): void {
  if (policyId?.trim() === '') throw fault('policyIdMissing')
}

export const readLatestPolicies: Of<'readLatestPolicies'> = async ({ query: { policyType } }, on) => {
  refuseBlank(policyType)
  const latest = latestOf(await on.store.policies())
  const shown = latest.filter((policy) => policyType === undefined || policy.policyType === policyType)
  if (shown.length === 0) throw fault('policyNotFound')
  return { policies: shown.map(({ policyType, version }) => ({ policyType, version })) }
}

export const readPolicy: Of<'readPolicy'> = async ({ params: { policyId }, access }, on) => {
  refuseBlank(policyId)
  const policy = findPolicy(await on.store.policies(), policyId)
  if (!policy) throw fault('policyNotFound')
  const { policyType, version } = policy
  return { policyType, version, accepted: isAccepted(policy, await on.store.acceptances(access.teamId)) }
}

/** The first acceptance is the one that is kept: who accepts again changes nothing. */
export const acceptPolicy: Of<'acceptPolicy'> = async ({ body: { policyType, version }, access, from }, on) => {
  const { teamId, tokenId: by } = access
  const object = `${policyType}@${version}`
  if (!findPolicy(await on.store.policies(), object)) throw fault('policyNotFound')
  if (isAccepted({ policyType, version }, await on.store.acceptances(teamId))) return {}
  const at = on.clock.now()
  await on.store.write([
    { add: 'acceptance', row: { teamId, policyType, version, by, at, from } },
    { add: 'audit', row: { at, by, what: 'acceptPolicy', teamId, object, from } },
  ])
  on.log({ message: 'changed', what: 'acceptPolicy', by, teamId, object })
  return {}
}

/** Throws policyNotAccepted, with what is missing, for a team that may not make scripts yet. */
export async function refuseUnaccepted(on: ControlWorld, { teamId }: Access): Promise<void> {
  const published = await on.store.policies()
  if (!published.some(({ required }) => required)) return
  const policies = unaccepted(published, await on.store.acceptances(teamId))
  if (policies.length > 0) throw fault('policyNotAccepted', { attributes: { policies } })
}
