/** The seed of this run: the same seed gives the same random moments. */
export const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

/** mulberry32: numbers from 0 to 1. */
export function random(state: number): () => number {
  let held = state
  return () => {
    held = (held + 0x6d2b79f5) | 0
    let mixed = Math.imul(held ^ (held >>> 15), 1 | held)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
