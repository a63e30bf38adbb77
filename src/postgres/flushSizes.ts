import type { Meter } from '#kit/meter.ts'

const bounds = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000]

/** The histogram of the number of rows of a kind in one commit of the database. */
export const flushSizes = (meter: Meter, of: 'records' | 'settled' | 'events' | 'outcomes') =>
  meter.histogram('aglet_flush_rows', 'Rows that one commit of the database stored together, by kind.', bounds, { of })
