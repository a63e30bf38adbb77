import type { ConsentMaps } from '#contract/edge.ts'

/** Whether a vendor's pixel, which knows its visitors, may be told anything: unless the visitor has refused just that. */
export const shares = (given: ConsentMaps | undefined): boolean => given?.consentCategories?.share_pii !== false
