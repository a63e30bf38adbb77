import type { TcfSettings } from './tcfSettings.ts'

/** How a tag reads TC strings, unless its setting `tcf` differs. */
export const tcfDefaults = {
  /** The purposes that a category needs. */
  purposes: { advertising: [1, 3, 4, 7], analytics: [1, 8, 9], functional: [1, 5, 6] },
  /** The purposes for which legitimate interest is sufficient: measurement, audiences, improving services. */
  allowLegitimateInterest: [7, 8, 9, 10],
  requireVendor: true,
  /** A visitor is asked again after 13 months. */
  maxAgeDays: 390,
} as const satisfies TcfSettings
