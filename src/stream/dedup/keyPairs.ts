/** A 64-bit key as two unsigned halves of 32 bits. */
export type KeyHalves = { low: number; high: number }

/** Keys with their places, four 32-bit words for each pair: key low, key high, place low, place high. */
export type KeyPairs = Uint32Array
export const wordsPerPair = 4

const half = 2 ** 32
const wide = new BigInt64Array(1)
const halves = new Uint32Array(wide.buffer)

export function halvesOf(key: bigint): KeyHalves {
  wide[0] = key
  return { low: halves[0]!, high: halves[1]! }
}

export const placeAt = (pairs: KeyPairs, at: number) => pairs[at + 2]! + pairs[at + 3]! * half

export function putPair(pairs: KeyPairs, at: number, { low, high }: KeyHalves, place: number): void {
  pairs[at] = low
  pairs[at + 1] = high
  pairs[at + 2] = place % half
  pairs[at + 3] = Math.floor(place / half)
}

/** The place of this key; undefined if it is not among the pairs. Linear in their number. */
export function placeIn(pairs: KeyPairs, { low, high }: KeyHalves): number | undefined {
  for (let at = 0; at < pairs.length; at += wordsPerPair)
    if (pairs[at] === low && pairs[at + 1] === high) return placeAt(pairs, at)
  return undefined
}

export function* eachOf(pairs: KeyPairs): Generator<{ key: KeyHalves; place: number }> {
  for (let at = 0; at < pairs.length; at += wordsPerPair)
    yield { key: { low: pairs[at]!, high: pairs[at + 1]! }, place: placeAt(pairs, at) }
}

/** Views words as the bytes in the database, and back. Bytes from SQLite are copied if they are not aligned to 4. */
export const bytesOf = (words: Uint32Array) => new Uint8Array(words.buffer, words.byteOffset, words.byteLength)
export function wordsOf(bytes: Uint8Array): Uint32Array {
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Uint32Array(buffer, byteOffset, Math.floor(byteLength / 4))
}

const scratch = new Uint32Array(2)
const scratchBytes = bytesOf(scratch)
/** The bytes of a key as in the pairs. The buffer is reused by the next call. */
export function keyBytes({ low, high }: KeyHalves): Uint8Array {
  scratch[0] = low
  scratch[1] = high
  return scratchBytes
}

/** The highest `bits` bits of a key. */
export const topOf = (high: number, bits: number) => (bits === 0 ? 0 : high >>> (32 - bits))

/**
 * Sorts the pairs of `count` consecutive buckets by bucket (counting sort). `ends`: the end of each bucket in words.
 */
export function sortIntoBuckets(
  pairs: KeyPairs,
  bits: number,
  first: number,
  count: number,
): { sorted: KeyPairs; ends: Uint32Array } {
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
