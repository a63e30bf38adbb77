const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const sextets = new Int8Array(128).fill(-1)
for (let n = 0; n < alphabet.length; n++) sextets[alphabet.charCodeAt(n)] = n

/** A consent text that does not follow its specification. */
export class UnreadableText extends Error {}

/** Reads the bits of a base64url text without padding, the most significant first. Throws UnreadableText. */
export class BitReader {
  readonly length: number
  at = 0
  readonly #values: Uint8Array

  constructor(text: string) {
    this.length = text.length * 6
    this.#values = new Uint8Array(text.length)
    for (let n = 0; n < text.length; n++) {
      const value = sextets[text.charCodeAt(n)] ?? -1
      if (value < 0) throw new UnreadableText('not base64url')
      this.#values[n] = value
    }
  }

  /** The bit at a position. */
  bit(position: number): 0 | 1 {
    return ((this.#values[Math.floor(position / 6)]! >> (5 - (position % 6))) & 1) as 0 | 1
  }

  /** The next bits as an unsigned number. */
  int(bits: number): number {
    const from = this.skip(bits)
    let value = 0
    for (let n = from; n < this.at; n++) value = value * 2 + this.bit(n)
    return value
  }

  /** A Fibonacci code: a sum of Fibonacci numbers, a bit for each, the smallest first; two ones end it. */
  fibonacci(): number {
    let value = 0
    let [low, high] = [1, 2]
    for (let before = 0; high < 1_000_000; ) {
      const bit = this.int(1)
      if (bit && before) return value
      if (bit) value += low
      before = bit
      ;[low, high] = [high, low + high]
    }
    throw new UnreadableText('a code without an end')
  }

  /** Passes over bits, and returns the position of the first. */
  skip(bits: number): number {
    const from = this.at
    this.at += bits
    if (this.at > this.length) throw new UnreadableText('too short')
    return from
  }
}
