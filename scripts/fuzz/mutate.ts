/** A source of random numbers from 0 to 1, excluding 1. */
export type Random = () => number

/** A generator from a seed, so that a run can be repeated (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const below = (random: Random, count: number) => Math.floor(random() * count)

/** Texts that are difficult for parsers. */
const tokens = [
  '{', '}', '[', ']', '"', ',', ':', '\\', '\\u0000', '\\ud800', 'null', 'true', '-0', '1e400', '-1e-400', '9007199254740993',
  '__proto__', 'constructor', '[[[[[[[[[[', '{"a":{"a":{"a":', '%00', '%ff', '&', '=', ';', '\r\n', '\ufeff', '\u202e', '..', '//', '\0',
].map((text) => Buffer.from(text)) // biome-ignore format: one line for each would be a page

type Mutation = (input: Buffer, random: Random, other: Buffer) => Buffer

const mutations: readonly Mutation[] = [
  // Flips a bit.
  (input, random) => {
    const changed = Buffer.from(input)
    if (changed.length > 0) changed[below(random, changed.length)]! ^= 1 << below(random, 8)
    return changed
  },
  // Removes a part.
  (input, random) => {
    const from = below(random, input.length + 1)
    return Buffer.concat([input.subarray(0, from), input.subarray(from + 1 + below(random, 32))])
  },
  // Duplicates a part.
  (input, random) => {
    const from = below(random, input.length + 1)
    const part = input.subarray(from, from + 1 + below(random, 64))
    return Buffer.concat([input.subarray(0, from), part, input.subarray(from)])
  },
  // Inserts a token.
  (input, random) => {
    const at = below(random, input.length + 1)
    return Buffer.concat([input.subarray(0, at), tokens[below(random, tokens.length)]!, input.subarray(at)])
  },
  // Joins the beginning with the end of another input.
  (input, random, other) =>
    Buffer.concat([
      input.subarray(0, below(random, input.length + 1)),
      other.subarray(below(random, other.length + 1)),
    ]),
]

/** An input with one to four mutations. Parts of `other` may be inserted. */
export function mutate(input: Buffer, random: Random, other: Buffer): Buffer {
  let changed = input
  for (let left = 1 + below(random, 4); left > 0; left--)
    changed = mutations[below(random, mutations.length)]!(changed, random, other)
  return changed
}
