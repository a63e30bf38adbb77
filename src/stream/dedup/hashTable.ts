import { type KeyHalves, type KeyPairs, placeAt, putPair, wordsPerPair } from './keyPairs.ts'

/** An open-addressing hash table of at most `capacity` keys, which also keeps their order of insertion. */
export type HashTable = ReturnType<typeof createHashTable>

/** The number of slots: a power of two, at least twice the capacity. */
const slotsFor = (capacity: number) => 2 ** Math.ceil(Math.log2(2 * capacity))

export function createHashTable(capacity: number) {
  const pairs: KeyPairs = new Uint32Array(capacity * wordsPerPair)
  const slots = new Int32Array(slotsFor(capacity)) // the offset of the pair plus 1; 0 is empty
  const mask = slots.length - 1
  let end = 0

  /** The slot of this key, or the empty slot for it (linear probing). */
  const slotOf = ({ low, high }: KeyHalves) => {
    let slot = (low ^ high) & mask
    for (;;) {
      const at = slots[slot]! - 1
      if (at < 0 || (pairs[at] === low && pairs[at + 1] === high)) return slot
      slot = (slot + 1) & mask
    }
  }
  return {
    count: () => end / wordsPerPair,
    find(key: KeyHalves): number | undefined {
      const at = slots[slotOf(key)]! - 1
      return at < 0 ? undefined : placeAt(pairs, at)
    },
    /** The key must be new, and the table must not be full. */
    add(key: KeyHalves, place: number): void {
      slots[slotOf(key)] = end + 1
      putPair(pairs, end, key, place)
      end += wordsPerPair
    },
    /** Gives a key of the table another place. */
    replace: (key: KeyHalves, place: number) => putPair(pairs, slots[slotOf(key)]! - 1, key, place),
    /** A view of the pairs from this index on. It is overwritten after `clear`. */
    from: (index: number) => pairs.subarray(index * wordsPerPair, end),
    clear(): void {
      slots.fill(0)
      end = 0
    },
  }
}
