import { languageWords } from './en/language.ts'
import { localeFormat } from './localeFormat.ts'

export type { Zone } from './localeFormat.ts'

/** Numbers, times, plurals and lists of the language of the texts. */
export const {
  count,
  shortCount,
  rate,
  frequency,
  change,
  pointChange,
  plural,
  clock,
  minute,
  moment,
  ago,
  duration,
  list,
  money,
} = localeFormat(languageWords)

/** A share as a rate; a dash for a share of nothing. */
export const share = (value: number | undefined) => (value === undefined ? '–' : rate(value))
