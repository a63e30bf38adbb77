import { takingSegmentCalls } from './segmentSpec.ts'

/** https://www.rudderstack.com/docs/api/http-api/ */
export const rudderStack = takingSegmentCalls(/rudderstack|rudderlabs/, {
  maxBytes: 4_000_000,
  good: { status: 200, text: 'OK' },
  badKey: () => ({ status: 401, text: 'Invalid Write Key' }),
})
