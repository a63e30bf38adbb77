import { type MatchFindingCode, matchFindingCodes } from '#contract/matchQuality.ts'

/** The parts that are checked. The share of a finding is its share of the events in which its part was checked. */
export const checkedParts = [
  'person',
  'phone',
  'click',
  'address',
  'userAgent',
  'value',
  'order',
  'page',
  'pair',
] as const
type CheckedPart = (typeof checkedParts)[number]

/** The part that each finding is about. Shared values are counted separately (`sharedValues.ts`). */
export const partOfFinding: Readonly<Record<Exclude<MatchFindingCode, 'SHARED_IDENTIFIER'>, CheckedPart>> = {
  EMPTY_HASH: 'person',
  PLACEHOLDER_HASH: 'person',
  DOUBLE_HASH: 'person',
  PHONE_WITHOUT_COUNTRY: 'phone',
  CLICK_ID_MALFORMED: 'click',
  CLICK_ID_OLD: 'click',
  TIME_UNIT: 'click',
  SERVER_ADDRESS_SENT: 'address',
  PRIVATE_ADDRESS: 'address',
  USER_AGENT_OF_A_SERVER: 'userAgent',
  VALUE_ZERO: 'value',
  CURRENCY_MISSING: 'value',
  FOREIGN_PAGE: 'page',
  DEDUP_KEY_MISSING: 'order',
  BROWSER_AND_SERVER_DIFFER: 'pair',
}

const partBits = Object.fromEntries(checkedParts.map((part, n) => [part, 1 << n])) as Record<CheckedPart, number>

/** Parts and findings are the bits of one number: the parts first, then the findings. */
const bitOfPart = (part: CheckedPart): number => partBits[part]
export const bitOfFinding = (code: MatchFindingCode): number =>
  1 << (checkedParts.length + matchFindingCodes.indexOf(code))
export const findingsMask = matchFindingCodes.reduce((mask, code) => mask | bitOfFinding(code), 0)

/** The name under which the bit at this place is counted. */
export const nameOfBit = (place: number): string =>
  place < checkedParts.length
    ? `checked ${checkedParts[place]}`
    : `finding ${matchFindingCodes[place - checkedParts.length]}`
export const bitCount = checkedParts.length + matchFindingCodes.length

const faultBits = Object.fromEntries(
  Object.entries(partOfFinding).map(([code, part]) => [code, bitOfPart(part) | bitOfFinding(code as MatchFindingCode)]),
) as Record<keyof typeof partOfFinding, number>

/** The bit of a checked part, and the bit of its fault if there is one. */
export const checked = (part: CheckedPart, code?: keyof typeof partOfFinding): number =>
  code ? faultBits[code] : bitOfPart(part)
