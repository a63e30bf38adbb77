import type { Artifact } from '#store/accounts.ts'
import type { Change } from '#store/store.ts'
import { openArtifact } from './artifact.ts'
import { partsOf } from './member.ts'
import { type AccountWorld, auditOf } from './world.ts'

/** What a person let an application do for a team. */
export type Granted = { applicationId: string; name: string; teamId: string; teamName: string }

async function grantsOf(on: AccountWorld, personId: string) {
  const grants = await on.store.accounts.grantsOf(personId)
  const good = grants.filter(({ expiresAt }) => expiresAt > on.clock.now())
  return good.map((grant) => ({
    grant,
    applicationId: openArtifact(grant, on).clientId ?? '',
    teamId: partsOf(grant.actor ?? '').teamId,
  }))
}

/** Whether what a person let an application do for a team still stands. */
export async function hasGranted(
  on: AccountWorld,
  personId: string,
  { applicationId, teamId }: Pick<Granted, 'applicationId' | 'teamId'>,
): Promise<boolean> {
  const grants = await grantsOf(on, personId)
  return grants.some((each) => each.applicationId === applicationId && each.teamId === teamId)
}

/** Which applications a person gave access, each once for a team. */
export async function grantedBy(on: AccountWorld, personId: string): Promise<Granted[]> {
  const grants = await grantsOf(on, personId)
  const each = new Map(grants.map((grant) => [`${grant.applicationId} ${grant.teamId}`, grant]))
  const named = [...each.values()].map(async ({ applicationId, teamId }) => ({
    applicationId,
    name: (await on.store.accounts.application(applicationId))?.name ?? applicationId,
    teamId,
    teamName: (await on.store.team(teamId))?.name ?? teamId,
  }))
  return Promise.all(named)
}

const ended = ({ key }: Artifact, at: number): Change[] => {
  const ending = { of: 'wholeGrant', grantKey: key } as const
  return [{ account: { revoke: 'tokens', ending, at } }, { account: { drop: 'artifacts', ending } }]
}

/** Takes back what a person let an application do for a team; its tokens end at once. */
export async function endAccess(
  on: AccountWorld,
  personId: string,
  { applicationId, teamId }: Pick<Granted, 'applicationId' | 'teamId'>,
  from: string,
): Promise<void> {
  const all = await grantsOf(on, personId)
  const meant = all.filter((each) => each.applicationId === applicationId && each.teamId === teamId)
  if (meant.length === 0) return
  await on.store.write([
    ...meant.flatMap(({ grant }) => ended(grant, on.clock.now())),
    auditOf(on, { by: personId, from }, { what: 'endGrant', teamId, object: applicationId }),
  ])
}
