import type { ProviderId } from '#contract/providerIds.ts'
import type { ConsentCategory } from '#contract/script.ts'
import { tcfDefaults } from '#contract/tcfDefaults.ts'
import type { TcfSettings } from '#contract/tcfSettings.ts'
import { lacksDisclosed } from './stricterTexts.ts'
import { purposesOf } from './tcfRules.ts'
import type { ReadTcf } from './textConsent.ts'
import { currentVendors } from './vendorTable.ts'

/**
 * The bit of a TC string that refuses a provider, such as `purpose 4`, or its vendor. Undefined if none refuses. A
 * purpose needs consent, or legitimate interest if that suffices and neither the vendor's declaration nor the publisher
 * excludes it. A vendor on the Global Vendor List must be disclosed and have consent. A vendor outside it needs Google's
 * additional consent if it has an id there; otherwise only the purposes decide.
 */
export function tcfRefusal(
  tcf: ReadTcf | 'unreadable',
  providerId: ProviderId,
  category: ConsentCategory,
  settings: TcfSettings = {},
): string | undefined {
  if (category === 'necessary') return undefined
  if (tcf === 'unreadable') return 'unreadable'
  const purpose = purposesOf(category, settings).find((each) => !hasBasis(tcf, each, settings, providerId))
  if (purpose !== undefined) return `purpose ${purpose}`
  return settings.requireVendor === false ? undefined : vendorRefusal(tcf, providerId)
}

/** True if these purposes have a legal basis, regardless of the vendor. */
export const tcfAllows = (
  tcf: ReadTcf | 'unreadable',
  purposes: readonly number[],
  settings: TcfSettings = {},
): boolean => tcf !== 'unreadable' && purposes.every((purpose) => hasBasis(tcf, purpose, settings))

/** Purposes 1 and 3 to 6 always need consent, regardless of strings and settings. */
const isConsentOnly = (purpose: number) => purpose === 1 || (purpose >= 3 && purpose <= 6)

function hasBasis(
  tcf: ReadTcf,
  purpose: number,
  { allowLegitimateInterest }: TcfSettings,
  providerId?: ProviderId,
): boolean {
  const { gvlId, googleAtpId, interests = [], flexible = [] } = (providerId && currentVendors().rows[providerId]) ?? {}
  const types = tcf.restrictions.flatMap((each) =>
    each.purpose === purpose && gvlId !== undefined && each.vendors.includes(gvlId) ? each.type : [],
  )
  if (types.includes(0)) return false
  if (tcf.purposes.includes(purpose) && !types.includes(2)) return true
  const interest: readonly number[] = allowLegitimateInterest ?? tcfDefaults.allowLegitimateInterest
  const isInterest = interest.includes(purpose) && !isConsentOnly(purpose)
  const suffices = isInterest && tcf.interests.includes(purpose) && !types.includes(1)
  if (!suffices || googleAtpId !== undefined) return false
  if (gvlId === undefined) return true
  const declares = interests.includes(purpose) || flexible.includes(purpose)
  return declares && tcf.vendorInterests.includes(gvlId)
}

function vendorRefusal(tcf: ReadTcf, providerId: ProviderId): string | undefined {
  const { gvlId, googleAtpId } = currentVendors().rows[providerId] ?? {}
  if (gvlId !== undefined) {
    const isDisclosed = tcf.disclosed ? tcf.disclosed.includes(gvlId) : !lacksDisclosed(tcf)
    if (!isDisclosed) return `vendor ${gvlId} not disclosed`
    return tcf.vendors.includes(gvlId) ? undefined : `vendor ${gvlId} refused`
  }
  if (googleAtpId === undefined || tcf.consented.includes(googleAtpId)) return undefined
  return `additional consent ${googleAtpId}`
}
