import { segmentEventOf } from '#contract/productEvents.ts'

/** The event name under which the source `segment` stores a track call. */
export const segmentName = (name: string): string => segmentEventOf(name) ?? name
