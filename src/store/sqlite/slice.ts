import type { Unit } from '#kit/units.ts'

/** Where the look through the journal stands: at which step, and what of it was looked at last. */
export type Spot = { step: number; tag: number | string; position: number; idx: number }
/** What one look came to: what is to be written, how much goes, and where to go on; undefined when the step is done. */
export type Slice = { unit: Unit; dropped: number; next: Spot | undefined }
