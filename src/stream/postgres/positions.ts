import { dayBits } from '#postgres/movedPositions.ts'
import { dayOf } from '#stream/days.ts'

/** A key is kept for the day on which it was stored and the seven days after it. */
const daysPerKey = 7
const daysPerGeneration = 4
/** Processes whose clocks differ by less than this write the same generations. */
const overlapMs = 5 * 60_000

const placeBits = 9

const shardBits = 2 ** 32

/**
 * The base of the positions of a day: `day << 38 | shard << 32 | sequence`. No two shards of an environment share a
 * position.
 */
export const positionBase = (day: number, shard: number): number => day * dayBits + shard * shardBits
/** The shard that has the record of a position. Positions of files, which have no day, belong to the first shard. */
export const shardOfPosition = (position: number): number =>
  position < dayBits ? 0 : Math.floor((position % dayBits) / shardBits)

/** The day of a position: days since 1970, UTC. */
export const dayOfPosition = (position: number): number => Math.floor(position / dayBits)
/** The first position of a day. */
export const firstPosition = (day: number): number => day * dayBits

/** The smallest place (position << 9 | index) of a key that is still kept at this time. */
export const oldestPlace = (nowMs: number): bigint =>
  BigInt(firstPosition(dayOf(nowMs) - daysPerKey)) << BigInt(placeBits)

/** The generation of the keys of a day. */
export const generationOfDay = (day: number): number => Math.floor(day / daysPerGeneration)
const generationOf = (ms: number): number => generationOfDay(dayOf(ms))

/**
 * The generations of keys at this time. `stored`: the generations into which a key is written, in order; two of them
 * around a change of generation. `probed`: older generations that may have the key. A key that is in none of them is
 * new.
 */
export type Generations = { stored: readonly number[]; probed: readonly number[] }

export function generationsAt(nowMs: number): Generations {
  const first = generationOf(nowMs - overlapMs)
  const last = generationOf(nowMs + overlapMs)
  return { stored: first === last ? [first] : [first, last], probed: [first - 1, first - 2] }
}

/** No process needs a generation before this one. */
export const oldestGeneration = (nowMs: number): number => Math.min(...generationsAt(nowMs - overlapMs).probed)
