import { type Key, type Pairs, placeAt, putPair, wordsPerPair } from './pairs.ts'

/** Up to `capacity` keys in memory, in the order they came. */
export type Held = {
  count(): number
  find(key: Key): number | undefined
  /** The key must not be held yet, and there must be room. */
  add(key: Key, place: number): void
  /** Those that were added from this one on; they are overwritten after `clear`. */
  from(index: number): Pairs
  clear(): void
}

/** The next power of two leaves at least half of the slots empty. */
const slotsFor = (capacity: number) => 2 ** Math.ceil(Math.log2(2 * capacity))

export function makeHeld(capacity: number): Held {
  const pairs: Pairs = new Uint32Array(capacity * wordsPerPair)
  const slots = new Int32Array(slotsFor(capacity)) // where the pair begins, plus 1; 0 is empty
  const mask = slots.length - 1
  let end = 0

  /** The slot of this key, or the empty one where it belongs. */
  const slotOf = ({ low, high }: Key) => {
    let slot = (low ^ high) & mask
    for (;;) {
      const at = slots[slot]! - 1
      if (at < 0 || (pairs[at] === low && pairs[at + 1] === high)) return slot
      slot = (slot + 1) & mask
    }
  }
  return {
    count: () => end / wordsPerPair,
    find(key) {
      const at = slots[slotOf(key)]! - 1
      return at < 0 ? undefined : placeAt(pairs, at)
    },
    add(key, place) {
      slots[slotOf(key)] = end + 1
      putPair(pairs, end, key, place)
      end += wordsPerPair
    },
    from: (index) => pairs.subarray(index * wordsPerPair, end),
    clear() {
      slots.fill(0)
      end = 0
    },
  }
}
