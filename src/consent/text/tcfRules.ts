import type { ConsentCategory } from '#contract/script.ts'
import type { TcfSettings } from '#contract/tcfSettings.ts'

/** The category needs these purposes. */
export const tcfPurposes: Readonly<Record<Exclude<ConsentCategory, 'necessary'>, readonly number[]>> = {
  advertising: [1, 3, 4, 7],
  analytics: [1, 8, 9],
  functional: [1, 5, 6],
}
/** The purposes for which legitimate interest suffices: measuring, audiences, improving services. */
export const interestPurposes: readonly number[] = [7, 8, 9, 10]
/** Since then a string has to have the segment of disclosed vendors (TCF 2.3). */
export const disclosedSince = Date.UTC(2026, 1, 28)
/** A TC string is asked again after 13 months. */
export const defaultMaxAgeDays = 390

/** The purposes that a category needs, by the setting of the tag. */
export const purposesOf = (category: keyof typeof tcfPurposes, { purposes }: TcfSettings = {}): readonly number[] =>
  purposes?.[category] ?? tcfPurposes[category]
