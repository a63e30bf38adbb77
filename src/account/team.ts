import { isName, nameIssue } from '#contract/displayText.ts'
import { fault } from '#contract/fault.ts'
import type { Team } from '#contract/team.ts'
import type { Clock } from '#kit/clock.ts'
import { fullDate } from '#kit/fullDate.ts'
import { newId } from '#kit/id.ts'
import type { Store, TeamRecord } from '#store/store.ts'
import { type AuditActor, auditChange } from './accountDeps.ts'
import type { Keyring } from './keyring.ts'

type TeamDeps = { clock: Clock; store: Pick<Store, 'write'>; keys: Keyring }

/**
 * Creates a team and its key. `by` is `operator` or the personId of the operator, `from` the IP address. Throws
 * badRequest for a name that is blank or longer than 200 characters.
 */
export async function createTeam(deps: TeamDeps, name: string, by: string, from?: string): Promise<{ teamId: string }> {
  const now = deps.clock.now()
  const row = { name: parseTeamName(name), teamId: newId('team', now), createdAt: now }
  const { teamId } = row
  await deps.store.write([
    { add: 'team', row: { ...row, sealedKey: deps.keys.createTeamKey(teamId) } },
    auditChange(deps, { by, from }, { what: 'createTeam', teamId, object: teamId, after: { name: row.name } }),
  ])
  return { teamId }
}

export const showTeam = ({ teamId, name, createdAt }: TeamRecord): Team => ({
  teamId,
  name,
  createdAt: fullDate(createdAt),
})

/** Changes the name of a team. Throws badRequest for a name that is blank or longer than 200 characters. */
export async function renameTeam(
  deps: Pick<TeamDeps, 'clock' | 'store'>,
  team: TeamRecord,
  newName: string,
  actor: AuditActor,
): Promise<TeamRecord> {
  const name = parseTeamName(newName)
  const { teamId } = team
  const change = { what: 'updateTeam', teamId, object: teamId, before: { name: team.name }, after: { name } }
  await deps.store.write([{ put: 'teamName', teamId, name }, auditChange(deps, actor, change)])
  return { ...team, name }
}

/** Loads the keys of every team, at each start. Throws RootKeyError if they were sealed by another root key. */
export async function loadAllTeamKeys(deps: { store: Pick<Store, 'teams'>; keys: Keyring }): Promise<void> {
  for (const { teamId, sealedKey } of await deps.store.teams()) deps.keys.loadTeamKey(teamId, sealedKey)
}

function parseTeamName(name: string): string {
  const trimmed = name.trim()
  const isLength = trimmed.length > 0 && trimmed.length <= 200
  if (isLength && isName(trimmed)) return trimmed
  const message = isLength ? `The name of a team ${nameIssue}.` : 'The name of a team must have 1 to 200 characters.'
  throw fault('badRequest', { message, attributes: { issues: [{ path: 'name', message }] } })
}
