/** One bit for each event of a body, the first event lowest: 500 events fit in 63 bytes. */
export function bitsOf(fresh: readonly boolean[]): Uint8Array {
  const bits = new Uint8Array(Math.ceil(fresh.length / 8))
  for (const [index, is] of fresh.entries()) if (is) bits[index >> 3]! |= 1 << (index & 7)
  return bits
}

/** The places whose bit is set, in order. */
export function placesOf(bits: Uint8Array): number[] {
  const places: number[] = []
  for (let index = 0; index < bits.length * 8; index++) if (bits[index >> 3]! & (1 << (index & 7))) places.push(index)
  return places
}
