import type * as english from '../en/language.ts'
import type { Translated } from '../translated.ts'

/** The language of this folder, and what Intl has no text for. */
export const languageWords: Translated<typeof english.languageWords> = {
  tag: 'de',
  percentagePoints: 'Prozentpunkte',
}
