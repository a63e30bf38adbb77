import type { Client } from '#contract/client.ts'
import type { Script, ScriptPatch, WrittenScript } from '#contract/script.ts'
import { hasLiveVersion } from './notLive.ts'

/**
 * Saves the named fields of a channel and publishes only those. A channel that was never live is published whole: there
 * is no live version to add the fields to.
 */
export function saveChannel(
  api: Pick<Client, 'patchScript' | 'updateScript'>,
  { script, tagId, ifMatch }: { script: Script; tagId: string; ifMatch?: number | undefined },
  patch: ScriptPatch,
): Promise<WrittenScript> {
  const { scriptId } = script
  const version = ifMatch === undefined ? {} : { ifMatch }
  if (hasLiveVersion(script) || !patch.shouldDeploy) return api.patchScript({ scriptId, body: patch, ...version })
  const { name, providerId, consentCategory, geoRegions, purchaseValueMode } = script
  const saved = { name, ...(consentCategory && { consentCategory }), ...(geoRegions && { geoRegions }) }
  return api.updateScript({ scriptId, body: { ...saved, purchaseValueMode, ...patch, providerId, tagId }, ...version })
}
