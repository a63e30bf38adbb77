import { fault } from '#contract/fault.ts'
import type { Clock } from '#kit/clock.ts'
import { newId } from '#kit/id.ts'
import type { Store } from '#store/store.ts'
import type { Keyring } from './keyring.ts'

export type TeamWorld = { clock: Clock; store: Pick<Store, 'write'>; keys: Keyring }

/**
 * Makes a team with a key of its own. `by` is `operator` or the id of the token that asked. Throws the fault badRequest
 * for a name that is blank or longer than 200 characters.
 */
export async function createTeam(on: TeamWorld, name: string, by: string): Promise<{ teamId: string }> {
  const now = on.clock.now()
  const row = { name: readName(name), teamId: newId('team', now), createdAt: now }
  const { teamId } = row
  await on.store.write([
    { add: 'team', row: { ...row, sealedKey: on.keys.makeTeam(teamId) } },
    { add: 'audit', row: { at: now, by, what: 'createTeam', teamId, object: teamId, after: { name: row.name } } },
  ])
  return { teamId }
}

/** Loads the key of every team, as each start must. Throws RootKeyProblem when they hang on another root key. */
export async function loadTeams(on: { store: Pick<Store, 'teams'>; keys: Keyring }): Promise<void> {
  for (const { teamId, sealedKey } of await on.store.teams()) on.keys.loadTeam(teamId, sealedKey)
}

function readName(name: string): string {
  const trimmed = name.trim()
  if (trimmed.length > 0 && trimmed.length <= 200) return trimmed
  const message = 'A team needs a name of 1 to 200 characters.'
  throw fault('badRequest', { message, attributes: { issues: [{ path: 'name', message }] } })
}
