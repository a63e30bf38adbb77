import type { ProviderFacts } from './channels.ts'
import { addNote, type ImportDraft, note, noteOn } from './importDraft.ts'
import type { ImportedElement, Note } from './importResult.ts'

/** Words in purpose names, and the categories that they indicate. */
const words: readonly (readonly [pattern: RegExp, category: string])[] = [
  [/market|advert|target|\bads?\b|c0004|social|c0005/i, 'advertising'],
  [/analy|statist|perform|measure|c0002/i, 'analytics'],
  [/function|prefer|personal|c0003/i, 'functional'],
  [/necess|essential|required|c0001/i, 'necessary'],
]

/** Notes the consent that a destination requires. Returns the category that its purposes indicate, if any. */
export function noteDestination(
  element: ImportedElement,
  purposes: readonly string[],
  { value, consentCategory = [] }: ProviderFacts,
): Pick<ImportDraft, 'consentCategory'> {
  if (value === 'eventSink') noteOn(element, 'needsDecision', 'The event sink sends events in its own format.')
  const { category, note: found } = consentCategoryOf(purposes, consentCategory)
  if (found) addNote(element, found)
  return category === undefined ? {} : { consentCategory: category }
}

/** The one category that a channel's purposes indicate, if its provider offers it. */
function consentCategoryOf(
  purposes: readonly string[],
  categories: readonly string[],
): { category?: string; note?: Note } {
  const usual = categories[0] ?? 'advertising'
  if (purposes.length === 0)
    return { note: note('mapped', `It requires no consent in the export; the channel requires ${usual}.`, 'CONSENT') }
  const found = purposes.map((purpose) => words.find(([pattern]) => pattern.test(purpose.slice(0, 200)))?.[1])
  const [first, ...others] = new Set(found)
  if (first !== undefined && others.length === 0 && categories.includes(first)) return { category: first }
  const text = `It requires ${purposes.join(', ').slice(0, 200)}; the channel requires ${usual}.`
  return { note: note('needsDecision', text, 'CONSENT') }
}
