import { type AccountDeps, auditChange, revokeChanges } from './accountDeps.ts'
import { parseActor } from './membership.ts'
import { openArtifact } from './oauthArtifact.ts'

/** The access to a team that a person granted to an application. */
type ApplicationGrant = { applicationId: string; name: string; teamId: string; teamName: string }

async function findGrants(deps: AccountDeps, personId: string) {
  const grants = await deps.store.accounts.grantsOf(personId)
  const valid = grants.filter(({ expiresAt }) => expiresAt > deps.clock.now())
  return valid.map((grant) => ({
    grant,
    applicationId: openArtifact(grant, deps).clientId ?? '',
    teamId: parseActor(grant.actor ?? '').teamId,
  }))
}

/** Whether a person's grant to an application for a team still exists. */
export async function hasGranted(
  deps: AccountDeps,
  personId: string,
  { applicationId, teamId }: Pick<ApplicationGrant, 'applicationId' | 'teamId'>,
): Promise<boolean> {
  const grants = await findGrants(deps, personId)
  return grants.some((each) => each.applicationId === applicationId && each.teamId === teamId)
}

/** The applications that a person granted access, one entry for each application and team. */
export async function findGrantedApplications(deps: AccountDeps, personId: string): Promise<ApplicationGrant[]> {
  const grants = await findGrants(deps, personId)
  const unique = new Map(grants.map((grant) => [`${grant.applicationId} ${grant.teamId}`, grant]))
  const views = [...unique.values()].map(async ({ applicationId, teamId }) => ({
    applicationId,
    name: (await deps.store.accounts.application(applicationId))?.name ?? applicationId,
    teamId,
    teamName: (await deps.store.team(teamId))?.name ?? teamId,
  }))
  return Promise.all(views)
}

/** Revokes a person's grants to an application for a team, and their tokens at once. Returns whether there were any. */
export async function revokeApplicationAccess(
  deps: AccountDeps,
  personId: string,
  { applicationId, teamId }: Pick<ApplicationGrant, 'applicationId' | 'teamId'>,
  from: string,
): Promise<boolean> {
  const all = await findGrants(deps, personId)
  const matching = all.filter((each) => each.applicationId === applicationId && each.teamId === teamId)
  if (matching.length === 0) return false
  await deps.store.write([
    ...matching.flatMap(({ grant }) => revokeChanges(deps, { of: 'wholeGrant', grantKey: grant.key })),
    auditChange(deps, { by: personId, from }, { what: 'endGrant', teamId, object: applicationId }),
  ])
  return true
}
