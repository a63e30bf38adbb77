import { channelWords } from '#dashboard/words/en/channels.ts'
import { languageWords } from '#dashboard/words/en/language.ts'

/** One entry of `geoRegions`: `US`, `US-CA`, `EU`, and whether it is excluded. */
export type RegionEntry = { code: string; isExcluded: boolean }

/** Groups that the server accepts besides ISO 3166 codes. */
const groups = ['EU', 'EEA'] as const
const names = new Intl.DisplayNames(languageWords.tag, { type: 'region', fallback: 'none' })
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
/** Codes that Intl names but ISO 3166-1 does not have. */
const noCountries = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ'.split(' '))

/** Whether a code is current: DD became DE. */
const isPresent = (code: string) => new Intl.Locale(`und-${code}`).region === code

let countries: { code: string; name: string }[] | undefined
/** The groups, then every country by its name. */
export function regionChoices(): readonly { code: string; name: string }[] {
  countries ??= letters
    .flatMap((one) => letters.map((other) => one + other))
    .filter((code) => !noCountries.has(code) && names.of(code) !== undefined && isPresent(code))
    .map((code) => ({ code, name: names.of(code)! }))
    .sort((one, other) => one.name.localeCompare(other.name, languageWords.tag))
  return [...groups.map((code) => ({ code, name: regionName(code) })), ...countries]
}

/** `the EU`, `United States`, `US-CA` */
export function regionName(code: string): string {
  if (code === 'EU' || code === 'EEA') return channelWords.regionGroups[code]
  return (/^[A-Z]{2}$/.test(code) ? names.of(code) : undefined) ?? code
}

/** The entries of a text, without blanks and duplicates. */
export function parseRegionText(text: string | undefined): RegionEntry[] {
  const entries = (text ?? '').split(',').flatMap((part) => {
    const word = part.trim().toUpperCase()
    const code = word.replace(/^-\s*/, '')
    return code ? [{ code, isExcluded: word.startsWith('-') }] : []
  })
  return entries.filter(({ code }, at) => entries.findIndex((each) => each.code === code) === at)
}

/** `EU,US,-US-CA` */
export const regionText = (entries: readonly RegionEntry[]) =>
  entries.map(({ code, isExcluded }) => (isExcluded ? `-${code}` : code)).join(',')

/** What the entries mean, as a sentence. */
export function regionSentence(entries: readonly RegionEntry[]): string {
  const include = entries.filter(({ isExcluded }) => !isExcluded).map(({ code }) => regionName(code))
  const exclude = entries.filter(({ isExcluded }) => isExcluded).map(({ code }) => regionName(code))
  return channelWords.regionSentence(include, exclude)
}

/** The choices whose name or code contains the words, without the chosen ones. A subdivision code is accepted as typed. */
export function searchRegions(
  query: string,
  chosen: readonly RegionEntry[],
  most = 8,
): { code: string; name: string }[] {
  const words = query.trim().toLowerCase()
  if (words === '') return []
  const isChosen = (code: string) => chosen.some((each) => each.code === code)
  const found = regionChoices().filter(
    ({ code, name }) => !isChosen(code) && (code.toLowerCase() === words || name.toLowerCase().includes(words)),
  )
  const subdivision = words.toUpperCase()
  const own =
    /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(subdivision) && !isChosen(subdivision)
      ? [{ code: subdivision, name: subdivision }]
      : []
  return [...own, ...found].slice(0, most)
}
