import type { Keyring } from '#account/keyring.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { newId } from '#kit/id.ts'
import type { Secret } from '#kit/secret.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { SecretVersion } from '#store/store.ts'
import { sealVersion } from './secret.ts'
import type { SecretRef } from './snapshot.ts'

type Of = { environment: EnvironmentName; teamId: string; scriptId: string; provider: Provider }
type On = { keys: Keyring; nowMs: number }

/**
 * The secrets of a script after a write: each that came becomes a new version under the id it had, an empty one is
 * unset, the others stay as they are.
 */
export function upsertSecrets(
  refs: Readonly<Record<string, SecretRef>>,
  came: ReadonlyMap<string, Secret>,
  { provider, ...of }: Of,
  { keys, nowMs }: On,
): { refs: Record<string, SecretRef>; versions: SecretVersion[] } {
  const next = { ...refs }
  const versions: SecretVersion[] = []
  for (const [variable, secret] of came) {
    const before = next[variable]
    delete next[variable]
    if (secret.open() === '') continue
    const ref = before ? { ...before, version: before.version + 1 } : { secretId: newId('sec', nowMs), version: 1 }
    const { type } = provider.secrets[variable]!
    versions.push(sealVersion(secret, { ...of, ...ref, variable, type }, keys, nowMs))
    next[variable] = ref
  }
  return { refs: next, versions }
}
