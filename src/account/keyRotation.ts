import { fault } from '#contract/fault.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import { keyedMutex } from '#kit/keyedMutex.ts'
import type { Store, StoreChange } from '#store/store.ts'
import { auditChange } from './accountDeps.ts'
import type { Keyring } from './keyring.ts'
import { environmentKeyChange, isSealedByRootKey } from './loadKeyring.ts'

/** `environment` may be in use. */
type KeyRotationDeps = {
  environment: EnvironmentName
  clock: Clock
  store: Pick<Store, 'setting' | 'teams' | 'write'>
  keys: Keyring
}

/** Serialises rotations, because one would change the keys that another seals with. */
const withLock = keyedMutex()

/**
 * Gives one team, or all teams if none is given, a further key. It seals from now on; older keys still open. Throws
 * teamUnknown.
 */
export const rotateTeamKeys = (
  deps: KeyRotationDeps,
  onlyTeamId: string | undefined,
  by: string,
): Promise<{ teams: number }> =>
  withLock('keys', async () => {
    const stored = await deps.store.teams()
    // Another process may have rotated them: its keys must stay.
    for (const { teamId, sealedKey } of stored) deps.keys.loadTeamKey(teamId, sealedKey)
    const all = stored.map(({ teamId }) => teamId)
    if (onlyTeamId !== undefined && !all.includes(onlyTeamId)) throw fault('teamUnknown')
    const teams = onlyTeamId === undefined ? all : [onlyTeamId]
    for (const teamId of teams) {
      const { sealedKey, use } = deps.keys.addTeamKey(teamId)
      await deps.store.write([
        { put: 'teamKey', teamId, sealedKey },
        auditChange(deps, { by }, { what: 'rotateTeamKey', teamId, object: teamId }),
      ])
      use()
    }
    return { teams: teams.length }
  })

/**
 * Reseals the environment key and the team keys of each environment by another root key, which must be on disk already.
 * All keys of an environment change in one write. Data sealed by those keys does not change. Idempotent.
 */
export const rotateRootKey = (
  environments: readonly KeyRotationDeps[],
  rootKey: Uint8Array,
  by: string,
): Promise<void> =>
  withLock('keys', async () => {
    for (const deps of environments) {
      deps.keys.useRootKey(rootKey)
      if (await isSealedByRootKey(deps.store, deps.environment, rootKey)) continue
      // Writes are ordered: after this one, teams whose keys were sealed before `useRootKey` are in the store.
      await deps.store.write([auditChange(deps, { by }, { what: 'rotateRootKey' })])
      const teams = (await deps.store.teams()).map(
        ({ teamId }): StoreChange => ({ put: 'teamKey', teamId, sealedKey: deps.keys.sealedTeamKey(teamId) }),
      )
      await deps.store.write([environmentKeyChange(deps.keys), ...teams])
    }
  })

/**
 * Reseals with the current root key what the previous one sealed: the environment key and the team keys, including
 * those of teams that a process with the previous key has created meanwhile. Only one process may run it at a time.
 * Returns the number of keys.
 */
export async function resealByRootKey(deps: KeyRotationDeps, rootKey: Uint8Array, by: string): Promise<number> {
  const { store, keys, environment } = deps
  const changes: StoreChange[] = []
  if (!(await isSealedByRootKey(store, environment, rootKey))) changes.push(environmentKeyChange(keys))
  for (const { teamId, sealedKey } of await store.teams()) {
    if (keys.isTeamKeyCurrent(teamId, sealedKey)) continue
    keys.loadTeamKey(teamId, sealedKey)
    changes.push({ put: 'teamKey', teamId, sealedKey: keys.sealedTeamKey(teamId) })
  }
  if (changes.length === 0) return 0
  await store.write([...changes, auditChange(deps, { by }, { what: 'rotateRootKey' })])
  return changes.length
}
