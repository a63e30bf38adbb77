import { type MatchFindingCode, matchFindingCodes } from '#contract/matchQuality.ts'

/** What is checked. The share of a finding is that of the events that have it. */
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

/** The part that each finding is about. What is shared is counted apart (`sharedValues.ts`). */
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

/** A set of parts and findings in the bits of one number: the parts first, then the findings. */
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

/** The bits of a part that was checked, and of what is wrong with it. */
export const checked = (part: CheckedPart, code?: keyof typeof partOfFinding): number =>
  code ? faultBits[code] : bitOfPart(part)
