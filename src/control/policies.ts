import type { TeamAccess } from '#account/teamAccess.ts'
import { fault } from '#contract/fault.ts'
import { findAcceptance, findPolicy, isAccepted, latestVersions, unacceptedPolicies } from '#policy/policy.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'

/** Throws policyIdMissing for a blank id. */
function refuseBlankId(policyId: string | undefined): void {
  if (policyId?.trim() === '') throw fault('policyIdMissing')
}

export const readLatestPolicies: AnswerFor<'readLatestPolicies'> = async ({ query: { policyType } }, deps) => {
  refuseBlankId(policyType)
  const latest = latestVersions(await deps.store.policies())
  const policies = latest.filter((policy) => policyType === undefined || policy.policyType === policyType)
  if (policies.length === 0) throw fault('policyNotFound')
  return { policies: policies.map(({ policyType, version }) => ({ policyType, version })) }
}

export const readPolicy: AnswerFor<'readPolicy'> = async ({ params: { policyId }, access }, deps) => {
  refuseBlankId(policyId)
  const policy = findPolicy(await deps.store.policies(), policyId)
  if (!policy) throw fault('policyNotFound')
  const { policyType, version, required, url } = policy
  const acceptance = findAcceptance(policy, await deps.store.acceptances(access.teamId))
  return {
    policyType,
    version,
    accepted: acceptance !== undefined,
    required,
    ...(url !== undefined && { url }),
    ...(acceptance && { acceptedAt: acceptance.at, by: acceptance.by }),
  }
}

/** Idempotent: the first acceptance is recorded, later ones change nothing. */
export const acceptPolicy: AnswerFor<'acceptPolicy'> = async (
  { body: { policyType, version }, access, from },
  deps,
) => {
  const { teamId, by } = access
  const object = `${policyType}@${version}`
  if (!findPolicy(await deps.store.policies(), object)) throw fault('policyNotFound')
  if (isAccepted({ policyType, version }, await deps.store.acceptances(teamId))) return {}
  const at = deps.clock.now()
  await deps.store.write([
    { add: 'acceptance', row: { teamId, policyType, version, by, at, from } },
    { add: 'audit', row: { at, by, what: 'acceptPolicy', teamId, object, from } },
  ])
  deps.log({ message: 'changed', what: 'acceptPolicy', by, teamId, object })
  return {}
}

/** Throws policyNotAccepted, with the missing policies, if the team has not accepted every required policy. */
export async function refuseUnaccepted(deps: ControlDeps, { teamId }: TeamAccess): Promise<void> {
  const published = await deps.store.policies()
  if (!published.some(({ required }) => required)) return
  const policies = unacceptedPolicies(published, await deps.store.acceptances(teamId))
  if (policies.length > 0) throw fault('policyNotAccepted', { attributes: { policies } })
}
