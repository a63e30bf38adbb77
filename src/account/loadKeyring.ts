import type { EnvironmentName } from '#contract/me.ts'
import type { Change, Store } from '#store/store.ts'
import { type Keyring, openKeyring } from './keyring.ts'
import { RootKeyProblem, type RootKeys } from './rootKey.ts'
import { loadTeams } from './team.ts'

/** The row of the settings that holds the environment's own key, sealed by the root key. */
const setting = 'environment.key'

/** The change that keeps the environment's key under the root key that is in use. */
export const keepEnvironmentKey = (keys: Keyring): Change => ({
  put: 'setting',
  name: setting,
  value: Buffer.from(keys.sealedEnvironment()).toString('base64url'),
})

/** Whether what is kept of an environment hangs on this root key alone already. */
export async function isUnderRoot(
  store: Pick<Store, 'setting'>,
  environment: EnvironmentName,
  rootKey: Uint8Array,
): Promise<boolean> {
  const kept = await store.setting(setting)
  if (kept === undefined) return false
  try {
    openKeyring(rootKey, environment, { environmentKey: Buffer.from(kept, 'base64url') })
    return true
  } catch (problem) {
    if (problem instanceof RootKeyProblem) return false
    throw problem
  }
}

/**
 * The keyring of an environment with every team's keys, as each start needs it; the first start makes and keeps the
 * environment's key. Throws RootKeyProblem when what is kept was sealed by another root key.
 */
export async function loadKeyring(
  store: Pick<Store, 'setting' | 'teams' | 'write'>,
  environment: EnvironmentName,
  { inUse, before }: RootKeys,
): Promise<Keyring> {
  const kept = await store.setting(setting)
  const environmentKey = kept === undefined ? undefined : Buffer.from(kept, 'base64url')
  const keys = openKeyring(inUse, environment, { environmentKey, before })
  await loadTeams({ store, keys })
  // Last, so that a root key that fits no team is told before anything is made under it.
  if (kept === undefined) await store.write([keepEnvironmentKey(keys)])
  return keys
}
