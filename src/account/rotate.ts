import { fault } from '#contract/fault.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import { oneByOne } from '#kit/oneByOne.ts'
import type { Change, Store } from '#store/store.ts'
import type { Keyring } from './keyring.ts'
import { isUnderRoot, keepEnvironmentKey } from './loadKeyring.ts'
import { auditOf } from './world.ts'

/** What keys are changed on: one environment, while it is in use. */
export type RotateWorld = {
  environment: EnvironmentName
  clock: Clock
  store: Pick<Store, 'setting' | 'teams' | 'write'>
  keys: Keyring
}

/** While one rotation seals, no other may change what it seals with. */
const inTurn = oneByOne()

/**
 * Gives each of these teams (all of them, where none is named) a further key: what is sealed from now on is sealed by
 * it, and what was sealed before still opens. Throws teamUnknown.
 */
export const rotateTeamKeys = (on: RotateWorld, named: string | undefined, by: string): Promise<{ teams: number }> =>
  inTurn(async () => {
    const all = (await on.store.teams()).map(({ teamId }) => teamId)
    if (named !== undefined && !all.includes(named)) throw fault('teamUnknown')
    const teams = named === undefined ? all : [named]
    for (const teamId of teams) {
      const { sealedKey, use } = on.keys.renewTeam(teamId)
      await on.store.write([
        { put: 'teamKey', teamId, sealedKey },
        auditOf(on, { by }, { what: 'rotateTeamKey', teamId, object: teamId }),
      ])
      use()
    }
    return { teams: teams.length }
  })

/**
 * Seals what hangs on the root key by another one, which must be on disk already: in each environment its own key and
 * those of the teams, all or none of them. What they seal themselves is not touched. Done again, it changes nothing.
 */
export const rotateRootKey = (grounds: readonly RotateWorld[], rootKey: Uint8Array, by: string): Promise<void> =>
  inTurn(async () => {
    for (const on of grounds) {
      on.keys.useRoot(rootKey)
      if (await isUnderRoot(on.store, on.environment, rootKey)) continue
      // A team whose key was sealed before that line is on its way to the disk: this write comes after it.
      await on.store.write([auditOf(on, { by }, { what: 'rotateRootKey' })])
      const teams = (await on.store.teams()).map(
        ({ teamId }): Change => ({ put: 'teamKey', teamId, sealedKey: on.keys.sealedTeam(teamId) }),
      )
      await on.store.write([keepEnvironmentKey(on.keys), ...teams])
    }
  })
