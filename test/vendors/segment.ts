import { takingSegmentCalls } from './segmentSpec.ts'

/** https://segment.com/docs/connections/sources/catalog/libraries/server/http-api/ */
export const segment = takingSegmentCalls(/^(api\.segment\.io|events\.eu1\.segmentapis\.com)$/, {
  maxBytes: 500_000,
  good: { status: 200, json: { success: true } },
  badKey: (message) => ({ status: 401, json: { success: false, message } }),
})
