import type { Keyring } from '#account/keyring.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { newId } from '#kit/id.ts'
import { Secret } from '#kit/secret.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { SecretVersion, Store } from '#store/store.ts'
import { sealVersion } from './secret.ts'
import type { SecretRef } from './snapshot.ts'

type ScriptContext = { environment: EnvironmentName; teamId: string; scriptId: string; provider: Provider }
type NextSecretsDeps = { keys: Keyring; store: Pick<Store, 'secret'>; nowMs: number }

/** The first unused version after this one. A discarded draft leaves its versions behind. */
async function nextVersion({ secretId, version }: SecretRef, store: Pick<Store, 'secret'>): Promise<SecretRef> {
  const next = { secretId, version: version + 1 }
  return (await store.secret(next)) ? nextVersion(next, store) : next
}

/**
 * The secrets of a script after a write. A written secret becomes a new version of its id, an empty one is unset, the
 * others do not change.
 */
export async function nextSecrets(
  refs: Readonly<Record<string, SecretRef>>,
  newSecrets: ReadonlyMap<string, Secret>,
  { provider, ...scriptContext }: ScriptContext,
  { keys, store, nowMs }: NextSecretsDeps,
): Promise<{ refs: Record<string, SecretRef>; versions: SecretVersion[] }> {
  const next = { ...refs }
  const versions: SecretVersion[] = []
  for (const [variable, secret] of newSecrets) {
    const previous = next[variable]
    delete next[variable]
    if (secret.open() === '') continue
    const ref = previous ? await nextVersion(previous, store) : { secretId: newId('sec', nowMs), version: 1 }
    const { type, toStored } = provider.secrets[variable]!
    const stored = toStored ? new Secret(toStored(secret.open())) : secret
    versions.push(sealVersion(stored, { ...scriptContext, ...ref, variable, type }, keys, nowMs))
    next[variable] = ref
  }
  return { refs: next, versions }
}
