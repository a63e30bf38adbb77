import type { EnvironmentName } from '#contract/me.ts'
import type { Store, StoreChange } from '#store/store.ts'
import { type Keyring, openKeyring } from './keyring.ts'
import { RootKeyError, type RootKeys } from './rootKey.ts'
import { loadAllTeamKeys } from './team.ts'

const environmentKeySetting = 'environment.key'

export const environmentKeyOf = (keys: Pick<Keyring, 'sealedEnvironmentKey'>) => ({
  name: environmentKeySetting,
  value: Buffer.from(keys.sealedEnvironmentKey()).toString('base64url'),
})

export const environmentKeyChange = (keys: Keyring): StoreChange => ({ put: 'setting', ...environmentKeyOf(keys) })

/** True if this root key sealed the environment key. The team keys are always written together with it. */
export async function isSealedByRootKey(
  store: Pick<Store, 'setting'>,
  environment: EnvironmentName,
  rootKey: Uint8Array,
): Promise<boolean> {
  const storedKey = await store.setting(environmentKeySetting)
  if (storedKey === undefined) return false
  try {
    openKeyring(rootKey, environment, { environmentKey: Buffer.from(storedKey, 'base64url') })
    return true
  } catch (problem) {
    if (problem instanceof RootKeyError) return false
    throw problem
  }
}

/**
 * Loads the keyring of an environment with the keys of every team. The first start creates and stores the environment
 * key. Throws RootKeyError if the stored keys were sealed by another root key.
 */
export async function loadKeyring(
  store: Pick<Store, 'setting' | 'team' | 'teams' | 'write'>,
  environment: EnvironmentName,
  { inUse, before }: RootKeys,
): Promise<Keyring> {
  const storedKey = await store.setting(environmentKeySetting)
  const environmentKey = storedKey === undefined ? undefined : Buffer.from(storedKey, 'base64url')
  const readTeamKey = async (teamId: string) => (await store.team(teamId))?.sealedKey
  const keys = openKeyring(inUse, environment, { environmentKey, before, readTeamKey })
  await loadAllTeamKeys({ store, keys })
  // Last, so that a wrong root key fails on the team keys before an environment key is stored under it.
  if (storedKey === undefined) await store.write([environmentKeyChange(keys)])
  return keys
}
