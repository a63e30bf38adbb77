import { tcfDefaults } from '#contract/tcfDefaults.ts'
import type { TcfSettings } from '#contract/tcfSettings.ts'

/** From this date a string must have the segment of disclosed vendors (TCF 2.3). */
export const disclosedSince = Date.UTC(2026, 1, 28)

/** The purposes that a category needs, according to the tag's settings. */
export const purposesOf = (
  category: keyof typeof tcfDefaults.purposes,
  { purposes }: TcfSettings = {},
): readonly number[] => purposes?.[category] ?? tcfDefaults.purposes[category]
