import type { Keyring } from '#account/keyring.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { Script, SecretState } from '#contract/script.ts'
import { fullDate } from '#kit/date.ts'
import type { Provider } from '#provider/form/provider.ts'
import { isSensitive, type SecretSpec } from '#provider/form/secret.ts'
import type { ScriptRecord, Store } from '#store/store.ts'
import { isDraft } from './deploy.ts'
import { openSecrets } from './secret.ts'
import type { SecretRef, Snapshots } from './snapshot.ts'

/** What showing a script stands on: values that are not sensitive are opened for it. */
export type ShowWorld = {
  environment: EnvironmentName
  store: Pick<Store, 'secret'>
  keys: Keyring
  snapshots: Pick<Snapshots, 'get'>
}

function stateOf(spec: SecretSpec, ref: SecretRef | undefined, value: string | undefined): SecretState {
  return {
    type: spec.type,
    optional: spec.optional ?? false,
    isSet: ref !== undefined,
    ...(ref && { secretId: ref.secretId }),
    ...(value !== undefined && { value }),
  }
}

/** The state of every variable of the catalogue; the value only of those that are not sensitive. */
async function statesOf(script: ScriptRecord, provider: Provider, on: ShowWorld): Promise<Record<string, SecretState>> {
  const specs = Object.entries(provider.secrets)
  const shown = specs.flatMap(([variable, spec]) => {
    const ref = script.secrets[variable]
    return ref && !isSensitive(spec) ? [[variable, ref] as const] : []
  })
  const values = await openSecrets(Object.fromEntries(shown), { ...on, teamId: script.teamId })
  return Object.fromEntries(
    specs.map(([variable, spec]) => [variable, stateOf(spec, script.secrets[variable], values[variable]?.open())]),
  )
}

/** A script as it is read: as saved, deployed or not. Without its provider in this build nothing is known of its variables. */
export async function showScript(script: ScriptRecord, provider: Provider | undefined, on: ShowWorld): Promise<Script> {
  const { scriptId, name, providerId, consentCategory, geoRegions, purchaseValueMode, paused } = script
  return {
    scriptId,
    name,
    providerId,
    createdAt: fullDate(script.createdAt),
    ...(consentCategory !== undefined && { consentCategory }),
    ...(geoRegions !== undefined && { geoRegions }),
    purchaseValueMode: purchaseValueMode ?? 'gross',
    ...(paused && { paused }),
    ...(isDraft(script, on.snapshots.get(script.tagId)) && { isDraft: true }),
    ...(provider && { secrets: await statesOf(script, provider, on) }),
  }
}
