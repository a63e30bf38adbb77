import { dayOf } from '#stream/days.ts'

/** A key is known on the day on which it was stored, and on the seven days after it. */
const daysPerKey = 7
const daysPerGeneration = 4
/** Processes whose clocks differ by less than this write the same generations. */
const overlapMs = 5 * 60_000

const dayBits = 2 ** 38
const placeBits = 9

/** The day of a position: days since 1970, UTC. */
export const dayOfPosition = (position: number): number => Math.floor(position / dayBits)
/** The first position of a day. */
export const firstPosition = (day: number): number => day * dayBits

/** The smallest place (position << 9 | index) of a key that is still known at this time. */
export const oldestPlace = (nowMs: number): bigint =>
  BigInt(firstPosition(dayOf(nowMs) - daysPerKey)) << BigInt(placeBits)

const generationOf = (ms: number): number => Math.floor(dayOf(ms) / daysPerGeneration)

/**
 * The generations of keys at this time. `stored`: those into which a key is written, in order; two around a change of
 * generation. `probed`: older ones that may have the key. A key that is in none of them is new.
 */
export type Generations = { stored: readonly number[]; probed: readonly number[] }

export function generationsAt(nowMs: number): Generations {
  const first = generationOf(nowMs - overlapMs)
  const last = generationOf(nowMs + overlapMs)
  return { stored: first === last ? [first] : [first, last], probed: [first - 1, first - 2] }
}

/** No process needs a generation before this one. */
export const oldestGeneration = (nowMs: number): number => Math.min(...generationsAt(nowMs - overlapMs).probed)
