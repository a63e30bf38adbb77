import { disclosedSince } from './tcfRules.ts'
import type { ReadGpp, ReadTcf, TextConsent } from './textConsent.ts'

type Unread<Read> = Read | 'unreadable'

/** Combines two sets of texts of one call: a refusal in either applies. */
export function stricterTexts(one: TextConsent, other: TextConsent): TextConsent {
  const tcf = both(one.tcf, other.tcf, stricterTcf)
  const gpp = both(one.gpp, other.gpp, stricterGpp)
  return { ...(tcf && { tcf }), ...(gpp && { gpp }) }
}

function both<Read extends object>(
  one: Unread<Read> | undefined,
  other: Unread<Read> | undefined,
  merge: (one: Read, other: Read) => Read,
): Unread<Read> | undefined {
  if (one === undefined || other === undefined || one === other) return one ?? other
  return one === 'unreadable' || other === 'unreadable' ? 'unreadable' : merge(one, other)
}

/** True if a string lacks the segment of disclosed vendors although it needs one. */
export const lacksDisclosed = ({
  lastUpdated,
  disclosed,
  law,
}: Pick<ReadTcf, 'lastUpdated' | 'disclosed' | 'law'>): boolean =>
  disclosed === undefined && law === undefined && lastUpdated >= disclosedSince

const common = (one: readonly number[], other: readonly number[]) => one.filter((each) => other.includes(each))
const union = <Each>(one: readonly Each[] = [], other: readonly Each[] = []) => [...new Set([...one, ...other])]

function stricterTcf(one: ReadTcf, other: ReadTcf): ReadTcf {
  const disclosed = commonDisclosed(one, other)
  const warnings = union(one.warnings, other.warnings)
  const newer = one.lastUpdated >= other.lastUpdated ? one : other
  return {
    ...newer,
    purposes: common(one.purposes, other.purposes),
    interests: common(one.interests, other.interests),
    vendors: common(one.vendors, other.vendors),
    vendorInterests: common(one.vendorInterests, other.vendorInterests),
    consented: common(one.consented, other.consented),
    restrictions: [...one.restrictions, ...other.restrictions],
    ...(disclosed && { disclosed }),
    ...(warnings.length > 0 && { warnings }),
  }
}

/** A string without the segment refuses each vendor, unless its version had no such segment. */
function commonDisclosed(one: ReadTcf, other: ReadTcf): readonly number[] | undefined {
  if (one.disclosed && other.disclosed) return common(one.disclosed, other.disclosed)
  return [one, other].some(lacksDisclosed) ? [] : (one.disclosed ?? other.disclosed)
}

const objects = ({ advertising, sharePii }: ReadGpp) => advertising !== undefined || sharePii !== undefined

/** True if all objections of these strings concern the sale of data. */
function isSaleAlone(strings: readonly ReadGpp[]): boolean {
  const objecting = strings.filter(objects)
  return objecting.length > 0 && objecting.every(({ saleAlone }) => saleAlone)
}

function stricterGpp(one: ReadGpp, other: ReadGpp): ReadGpp {
  const tcf = both(one.tcf, other.tcf, stricterTcf)
  const canada = both(one.canada, other.canada, stricterTcf)
  const { saleAlone: _, ...rest } = { ...other, ...one }
  return {
    ...rest,
    ...(isSaleAlone([one, other]) && { saleAlone: true as const }),
    sections: union(one.sections, other.sections),
    ...(tcf && { tcf }),
    ...(canada && { canada }),
  }
}
