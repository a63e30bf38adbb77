import type { Script, ScriptWrite } from '#contract/script.ts'
import type { ProviderRow } from './channelForm.ts'

/** The body of a save that changes these settings of a script alone; its secrets stay. */
export const scriptWriteOf = (
  { name, providerId, consentCategory, geoRegions, purchaseValueMode }: Script,
  tagId: string,
  provider: Pick<ProviderRow, 'hideGeoRegions' | 'hidePurchaseValueMode'> | undefined,
  changes: Partial<ScriptWrite>,
): ScriptWrite => ({
  name,
  providerId,
  tagId,
  shouldDeploy: true,
  ...(consentCategory !== undefined && { consentCategory }),
  ...(!provider?.hideGeoRegions && { geoRegions: geoRegions ?? null }),
  ...(!provider?.hidePurchaseValueMode && { purchaseValueMode }),
  ...changes,
})
