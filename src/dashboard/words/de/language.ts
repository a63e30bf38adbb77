import type * as english from '../en/language.ts'
import type { Translated } from '../translated.ts'

/** The language of this folder, and texts that Intl does not have. */
export const languageWords: Translated<typeof english.languageWords> = {
  tag: 'de',
  percentagePoints: 'Prozentpunkte',
}
