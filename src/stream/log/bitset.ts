/** One bit for each event of a body, the first event in the lowest bit: 500 events fit in 63 bytes. */
export function toBitset(values: readonly boolean[]): Uint8Array {
  const bits = new Uint8Array(Math.ceil(values.length / 8))
  for (const [index, isSet] of values.entries()) if (isSet) bits[index >> 3]! |= 1 << (index & 7)
  return bits
}

/** The indexes of the set bits, in order. */
export function setIndexes(bits: Uint8Array): number[] {
  const indexes: number[] = []
  for (let index = 0; index < bits.length * 8; index++) if (bits[index >> 3]! & (1 << (index & 7))) indexes.push(index)
  return indexes
}
