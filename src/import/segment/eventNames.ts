import { segmentEventOf } from '#contract/productEvents.ts'

/** The name under which the source `segment` reads an event of track. */
export const segmentName = (name: string): string => segmentEventOf(name) ?? name
