/** An entry of the palette. */
export type PaletteEntry = {
  id: string
  group: 'page' | 'tag' | 'channel' | 'event' | 'action'
  text: string
  hint?: string
}

const fold = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase()

/** How well a text fits: 3 begins with the words, 2 a word begins with them, 1 contains them, 0 does not fit. */
export function fitOf(text: string, query: string): number {
  const [whole, part] = [fold(text), fold(query.trim())]
  if (part === '' || whole.startsWith(part)) return 3
  if (whole.split(/[\s./_-]+/).some((word) => word.startsWith(part))) return 2
  return whole.includes(part) ? 1 : 0
}

/** The entries that fit, the best first, in their order otherwise. */
export const matchEntries = <Entry extends PaletteEntry>(
  entries: readonly Entry[],
  query: string,
  most = 50,
): Entry[] =>
  entries
    .map((entry) => ({ entry, fit: fitOf(entry.text, query) }))
    .filter(({ fit }) => fit > 0)
    .sort((one, other) => other.fit - one.fit)
    .slice(0, most)
    .map(({ entry }) => entry)
