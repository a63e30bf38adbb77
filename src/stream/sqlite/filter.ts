import type { Key } from './pairs.ts'

/**
 * Says of a key that it is not in a run, or that it may be. Four bits are set for each key, all in one line of 512 bits,
 * which the highest bits of the key name: a question touches one line of the processor's cache, and keys that come in
 * order fill the filter from front to back.
 */
export type Filter = Uint32Array

export const wordsPerLine = 16
const bitsPerLine = 512

/** A day of 200 events/s: from here on memory counts, below it the questions that a filter spares. */
const many = 4_000_000
/** 6 bits: one key in 15 that is not there may be; 12 bits: one in 140. */
const bitsPerKey = (keys: number) => (keys < many ? 12 : 6)

export const makeFilter = (keys: number): Filter =>
  new Uint32Array(Math.ceil((keys * bitsPerKey(keys)) / bitsPerLine) * wordsPerLine)

/** The line of the keys with this upper half: it grows with the upper half. `upTo` 2^32 gives the number of lines. */
export const lineOf = (filter: Filter, high: number) => Math.floor((high * (filter.length / wordsPerLine)) / 2 ** 32)

// The keys are fingerprints: their bits are as good as those of any further hash.
const second = (low: number) => low >>> 9
const third = (low: number) => low >>> 18
const fourth = ({ low, high }: Key) => (low >>> 27) | (high << 5)
const wordOf = (bit: number) => (bit >>> 5) & (wordsPerLine - 1)

export function addTo(filter: Filter, key: Key): void {
  const line = lineOf(filter, key.high) * wordsPerLine
  for (const bit of [key.low, second(key.low), third(key.low), fourth(key)])
    filter[line + wordOf(bit)]! |= 1 << (bit & 31)
}

export function mayHold(filter: Filter, key: Key): boolean {
  const line = lineOf(filter, key.high) * wordsPerLine
  const isSet = (bit: number) => ((filter[line + wordOf(bit)]! >>> (bit & 31)) & 1) === 1
  return isSet(key.low) && isSet(second(key.low)) && isSet(third(key.low)) && isSet(fourth(key))
}
