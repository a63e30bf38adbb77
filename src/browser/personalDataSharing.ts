import type { ConsentMaps } from '#contract/edgeResponses.ts'

/** Whether a vendor's pixel, which identifies visitors, may get events: only if the visitor has not refused `share_pii`. */
export const maySharePersonalData = (consent: ConsentMaps | undefined): boolean =>
  consent?.consentCategories?.share_pii !== false
