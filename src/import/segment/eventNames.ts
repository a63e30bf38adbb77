import { segmentEventOf } from '#contract/productEvents.ts'

/** The name that the source `segment` gives to an event of a track call. */
export const segmentName = (name: string): string => segmentEventOf(name) ?? name
