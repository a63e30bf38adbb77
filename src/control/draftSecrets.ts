import type { TeamAccess } from '#account/teamAccess.ts'
import { fault } from '#contract/fault.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { SecretEntry } from '#contract/script.ts'
import type { Provider } from '#provider/form/provider.ts'
import { providers } from '#providers/index.ts'
import { openEntries, openSecrets } from '#script/secret.ts'
import type { ScriptRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'
import { findOwnScript } from './scripts.ts'

/** The secrets of a channel that is being edited: sealed entries, and those of the saved script if one is named. */
type DraftSource = {
  providerId: ProviderId
  scriptId?: string | null | undefined
  entries?: readonly SecretEntry[] | null | undefined
}

/** The saved script of a draft, if it belongs to the team and has the same provider. Throws scriptOrTagNotFound. */
async function findDraftScript(
  deps: ControlDeps,
  access: TeamAccess,
  { providerId, scriptId }: DraftSource,
): Promise<ScriptRecord | undefined> {
  if (scriptId == null) return undefined
  const script = await findOwnScript(deps, access, scriptId)
  if (script?.providerId !== providerId) throw fault('scriptOrTagNotFound')
  return script
}

/** The plaintexts of a saved script, by variable. */
export async function openKeptSecrets(
  { environment, store, keys }: Pick<ControlDeps, 'environment' | 'store' | 'keys'>,
  { teamId, secrets }: Pick<ScriptRecord, 'teamId' | 'secrets'>,
): Promise<Record<string, string>> {
  const kept = await openSecrets(secrets, { environment, store, keys, teamId })
  return Object.fromEntries(Object.entries(kept).map(([variable, secret]) => [variable, secret.open()]))
}

/**
 * Opens the secrets of a draft. An entry replaces the value of the saved script. Throws providerNotAvailable,
 * scriptOrTagNotFound and secretRefused.
 */
export async function openDraftSecrets(
  deps: ControlDeps,
  access: TeamAccess,
  draft: DraftSource,
): Promise<{ provider: Provider; script: ScriptRecord | undefined; secrets: Record<string, string> }> {
  const { providerId, entries } = draft
  const provider = providers[providerId]
  if (!provider) throw fault('providerNotAvailable')
  const script = await findDraftScript(deps, access, draft)
  const { environment, sealingKeys } = deps
  const expected = { environment, teamId: access.teamId, providerId, specs: provider.secrets }
  const opened = await openEntries(entries ?? [], expected, sealingKeys)
  const kept = script ? await openKeptSecrets(deps, script) : {}
  const given = [...opened].map(([variable, secret]) => [variable, secret.open()] as const)
  return { provider, script, secrets: { ...kept, ...Object.fromEntries(given) } }
}
