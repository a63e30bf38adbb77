import type { ConsentMaps } from '#contract/edgeResponses.ts'

/** Whether a vendor's pixel, which identifies visitors, may get events: unless the visitor has refused `share_pii`. */
export const maySharePersonalData = (consent: ConsentMaps | undefined): boolean =>
  consent?.consentCategories?.share_pii !== false
