/** An entry of the palette. */
export type PaletteEntry = {
  id: string
  group: 'page' | 'tag' | 'channel' | 'event' | 'action'
  text: string
  /** Another name to search for. */
  also?: string
  hint?: string
}

const fold = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase()

/** How well a text matches: 3 starts with the query, 2 each query word starts a word of the text, 1 contains it, 0 no match. */
export function fitOf(text: string, query: string): number {
  const [whole, part] = [fold(text), fold(query.trim())]
  if (whole === '') return 0
  if (part === '' || whole.startsWith(part)) return 3
  const words = whole.split(/[\s./_-]+/)
  if (part.split(/\s+/).every((each) => words.some((word) => word.startsWith(each)))) return 2
  return whole.includes(part) ? 1 : 0
}

/** The matching entries, best first, otherwise in their order. */
export const matchEntries = <Entry extends PaletteEntry>(
  entries: readonly Entry[],
  query: string,
  most = 50,
): Entry[] =>
  entries
    .map((entry) => ({ entry, fit: fitOf(entry.text, query) || Math.min(1, fitOf(entry.also ?? '', query)) }))
    .filter(({ fit }) => fit > 0)
    .sort((one, other) => other.fit - one.fit)
    .slice(0, most)
    .map(({ entry }) => entry)
