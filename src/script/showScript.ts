import type { Keyring } from '#account/keyring.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { ValueChange } from '#contract/revision.ts'
import { channelRulesOf } from '#contract/rule/channelRules.ts'
import type { Script, SecretState } from '#contract/script.ts'
import { fullDate } from '#kit/fullDate.ts'
import type { Provider } from '#provider/form/provider.ts'
import { isSensitive, type SecretSpec } from '#provider/form/secret.ts'
import { toSnapshotScript } from '#store/snapshotParts.ts'
import type { ScriptRecord, Store } from '#store/store.ts'
import { showRevision } from '#tag/revision.ts'
import { diffScriptValues, type OpenShown } from './deploymentValues.ts'
import { openSecrets } from './secret.ts'
import type { SecretRef, Snapshots } from './snapshot.ts'

/** `keys` and `store` open the values that are not sensitive. */
type ShowDeps = {
  environment: EnvironmentName
  store: Pick<Store, 'secret'>
  keys: Keyring
  snapshots: Pick<Snapshots, 'get'>
  tagUrl(tagId: string): string
}

function secretState(
  spec: SecretSpec,
  ref: SecretRef | undefined,
  { value, setAt }: { value: string | undefined; setAt: number | undefined },
): SecretState {
  return {
    type: spec.type,
    optional: spec.optional ?? false,
    isSet: ref !== undefined,
    ...(ref && { secretId: ref.secretId }),
    ...(setAt !== undefined && { setAt }),
    ...(value !== undefined && { value }),
  }
}

/** The state of every variable of the provider. Values only of variables that are not sensitive. */
async function secretStates(
  script: ScriptRecord,
  provider: Provider,
  deps: ShowDeps,
): Promise<Record<string, SecretState>> {
  const specs = Object.entries(provider.secrets)
  const shown = specs.flatMap(([variable, spec]) => {
    const ref = script.secrets[variable]
    return ref && !isSensitive(spec) ? [[variable, ref] as const] : []
  })
  const { store, keys, environment } = deps
  const values = await openSecrets(Object.fromEntries(shown), { store, keys, environment, teamId: script.teamId })
  const states = specs.map(async ([variable, spec]) => {
    const ref = script.secrets[variable]
    const setAt = ref && (await store.secret(ref))?.createdAt
    return [variable, secretState(spec, ref, { value: values[variable]?.open(), setAt })] as const
  })
  return Object.fromEntries(await Promise.all(states))
}

/** Opens the values of a team's scripts that the API shows. */
export const openShownOf =
  (provider: Provider | undefined, teamId: string, { store, keys, environment }: ShowDeps): OpenShown =>
  async (_script, variable, ref) => {
    const spec = provider?.secrets[variable]
    if (!spec || isSensitive(spec)) return undefined
    return (await openSecrets({ [variable]: ref }, { store, keys, environment, teamId }))[variable]?.open()
  }

/** The values of the saved script that differ from the live one. */
export function notLiveValues(
  script: ScriptRecord,
  provider: Provider | undefined,
  deps: ShowDeps,
): Promise<ValueChange[]> {
  const live = deps.snapshots.get(script.tagId)?.scripts.find(({ scriptId }) => scriptId === script.scriptId)
  const sides = { before: live, after: toSnapshotScript(script) }
  return diffScriptValues(sides, openShownOf(provider, script.teamId, deps))
}

/** The URL at which other systems call the code of a script; empty if they cannot. */
export const webhookUrlOf = (
  { tagId, scriptId }: Pick<ScriptRecord, 'tagId' | 'scriptId'>,
  provider: Provider | undefined,
  { tagUrl }: Pick<ShowDeps, 'tagUrl'>,
): Pick<Script, 'webhookUrl'> =>
  provider?.code?.argument === 'request' ? { webhookUrl: `${tagUrl(tagId)}/webhook/${scriptId}` } : {}

/**
 * A script as the API returns it: as saved, whether deployed or not. If this build lacks its provider, without secrets.
 */
export async function showScript(
  script: ScriptRecord,
  provider: Provider | undefined,
  deps: ShowDeps,
): Promise<Script> {
  const { scriptId, name, providerId, consentCategory, geoRegions, purchaseValueMode, paused } = script
  const notLive = await notLiveValues(script, provider, deps)
  return {
    scriptId,
    name,
    providerId,
    createdAt: fullDate(script.createdAt),
    ...(consentCategory !== undefined && { consentCategory }),
    ...(geoRegions !== undefined && { geoRegions }),
    purchaseValueMode: purchaseValueMode ?? 'gross',
    ...channelRulesOf(script),
    ...(paused && { paused }),
    ...webhookUrlOf(script, provider, deps),
    ...(notLive.length > 0 && { isDraft: true, notLive }),
    ...(provider && { secrets: await secretStates(script, provider, deps) }),
    ...showRevision(script),
  }
}
