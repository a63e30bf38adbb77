/** A key in two halves of 32 bits, unsigned. */
export type Key = { low: number; high: number }

/** Keys and their places, four 32-bit words for each: key low, key high, place low, place high. */
export type Pairs = Uint32Array
export const wordsPerPair = 4

const half = 2 ** 32
const whole = new BigInt64Array(1)
const halves = new Uint32Array(whole.buffer)

export function halvesOf(key: bigint): Key {
  whole[0] = key
  return { low: halves[0]!, high: halves[1]! }
}

export const placeAt = (pairs: Pairs, at: number) => pairs[at + 2]! + pairs[at + 3]! * half

export function putPair(pairs: Pairs, at: number, { low, high }: Key, place: number): void {
  pairs[at] = low
  pairs[at + 1] = high
  pairs[at + 2] = place % half
  pairs[at + 3] = Math.floor(place / half)
}

/** Where the event of this key lies, when the key is among these. */
export function placeIn(pairs: Pairs, { low, high }: Key): number | undefined {
  for (let at = 0; at < pairs.length; at += wordsPerPair)
    if (pairs[at] === low && pairs[at + 1] === high) return placeAt(pairs, at)
  return undefined
}

export function* eachOf(pairs: Pairs): Generator<{ key: Key; place: number }> {
  for (let at = 0; at < pairs.length; at += wordsPerPair)
    yield { key: { low: pairs[at]!, high: pairs[at + 1]! }, place: placeAt(pairs, at) }
}

/** As they lie in the database, and back. What SQLite hands out need not lie on a multiple of 4: then it is copied. */
export const bytesOf = (words: Uint32Array) => new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
export function wordsOf(bytes: Uint8Array): Uint32Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Uint32Array(buffer, byteOffset, Math.floor(byteLength / 4))
}

const sought = new Uint32Array(2)
const soughtBytes = bytesOf(sought)
/** A key as it lies in pairs. Holds until the next is asked for. */
export function keyBytes({ low, high }: Key): Uint8Array {
  sought[0] = low
  sought[1] = high
  return soughtBytes
}

/** The highest bits of a key, as a number. */
export const topOf = (high: number, bits: number) => (bits === 0 ? 0 : high >>> (32 - bits))

/** Pairs of some buckets that follow one another, ordered by bucket, and where each of these buckets ends. */
export function inBuckets(
  pairs: Pairs,
  bits: number,
  first: number,
  count: number,
): { sorted: Pairs; ends: Uint32Array } {
  const bucketAt = (at: number) => topOf(pairs[at + 1]!, bits) - first
  const ends = new Uint32Array(count)
  for (let at = 0; at < pairs.length; at += wordsPerPair) ends[bucketAt(at)]! += wordsPerPair
  let start = 0
  for (let bucket = 0; bucket < count; bucket++) {
    const length = ends[bucket]!
    ends[bucket] = start
    start += length
  }
  const sorted = new Uint32Array(pairs.length)
  for (let at = 0; at < pairs.length; at += wordsPerPair) {
    const bucket = bucketAt(at)
    let to = ends[bucket]!
    for (let word = 0; word < wordsPerPair; word++) sorted[to++] = pairs[at + word]!
    ends[bucket] = to
  }
  return { sorted, ends }
}
