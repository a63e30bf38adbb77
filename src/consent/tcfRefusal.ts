import type { ProviderId } from '#contract/providerIds.ts'
import type { ConsentCategory } from '#contract/script.ts'
import { needsDisclosure, type ReadTcf } from './consentTexts.ts'
import { vendorTable } from './vendorTable.ts'

/** The purposes that a category needs. */
export const tcfPurposes: Readonly<Record<Exclude<ConsentCategory, 'necessary'>, readonly number[]>> = {
  advertising: [1, 3, 4, 7],
  analytics: [1, 8, 9],
  functional: [1, 5, 6],
}
/** The purposes for which legitimate interest suffices: measuring, audiences, improving services. */
export const interestPurposes: readonly number[] = [7, 8, 9, 10]

/**
 * The bit of a TC string that refuses a provider: `purpose 4`, or its vendor. Undefined if none refuses. A purpose needs
 * consent, or legitimate interest where that suffices and where neither the vendor's declaration nor the publisher
 * excludes it. A vendor of the Global Vendor List must be disclosed and have consent; a vendor outside it needs Google's
 * additional consent where it has an id there, else the purposes alone decide.
 */
export function tcfRefusal(
  tcf: ReadTcf | 'unreadable',
  providerId: ProviderId,
  category: ConsentCategory,
): string | undefined {
  if (category === 'necessary') return undefined
  if (tcf === 'unreadable') return 'unreadable'
  const purpose = tcfPurposes[category].find((each) => !hasBasis(tcf, each, providerId))
  return purpose === undefined ? vendorRefusal(tcf, providerId) : `purpose ${purpose}`
}

/** Whether the purposes of a category have a basis, whoever the vendor is. */
export const tcfAllows = (tcf: ReadTcf | 'unreadable', category: Exclude<ConsentCategory, 'necessary'>): boolean =>
  tcf !== 'unreadable' && tcfPurposes[category].every((purpose) => hasBasis(tcf, purpose))

function hasBasis(tcf: ReadTcf, purpose: number, providerId?: ProviderId): boolean {
  const { gvlId, googleAtpId, interests = [], flexible = [] } = (providerId && vendorTable[providerId]) ?? {}
  const types = tcf.restrictions.flatMap((each) =>
    each.purpose === purpose && gvlId !== undefined && each.vendors.includes(gvlId) ? each.type : [],
  )
  if (types.includes(0)) return false
  if (tcf.purposes.includes(purpose) && !types.includes(2)) return true
  const suffices = interestPurposes.includes(purpose) && tcf.interests.includes(purpose) && !types.includes(1)
  if (!suffices || googleAtpId !== undefined) return false
  if (gvlId === undefined) return true
  const declares = interests.includes(purpose) || flexible.includes(purpose)
  return declares && tcf.vendorInterests.includes(gvlId)
}

function vendorRefusal(tcf: ReadTcf, providerId: ProviderId): string | undefined {
  const { gvlId, googleAtpId } = vendorTable[providerId] ?? {}
  if (gvlId !== undefined) {
    if (needsDisclosure(tcf) && !tcf.disclosed?.includes(gvlId)) return `vendor ${gvlId} not disclosed`
    return tcf.vendors.includes(gvlId) ? undefined : `vendor ${gvlId} refused`
  }
  if (googleAtpId === undefined || tcf.consented.includes(googleAtpId)) return undefined
  return `additional consent ${googleAtpId}`
}
