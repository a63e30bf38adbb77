const base64url = /^[\w-]*$/
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** The six bits of each character, by character code. */
const sextets = new Uint8Array(128)
for (let n = 0; n < alphabet.length; n++) sextets[alphabet.charCodeAt(n)] = n

/** Thrown for a consent text that violates its specification. */
export class UnreadableText extends Error {}

/** Reads the bits of a base64url text without padding, the most significant first. Throws UnreadableText. */
export class BitReader {
  readonly length: number
  at = 0
  readonly #text: string

  constructor(text: string) {
    if (!base64url.test(text)) throw new UnreadableText('not base64url')
    this.length = text.length * 6
    this.#text = text
  }

  /** Zero after the end of the text. */
  #sextet(place: number): number {
    return sextets[this.#text.charCodeAt(place)] ?? 0
  }

  /** The bit at a position. */
  bit(position: number): 0 | 1 {
    const at = Math.floor(position / 6)
    return ((this.#sextet(at) >> (5 - position + at * 6)) & 1) as 0 | 1
  }

  /** The next bits as an unsigned number. */
  int(bits: number): number {
    let value = 0
    for (let at = this.skip(bits); at < this.at; ) {
      const left = 6 - (at % 6)
      const taken = Math.min(left, this.at - at)
      const part = (this.#sextet(Math.floor(at / 6)) >> (left - taken)) & ((1 << taken) - 1)
      value = value * (1 << taken) + part
      at += taken
    }
    return value
  }

  /**
   * Reads a Fibonacci code: a sum of Fibonacci numbers, one bit each, smallest first; two consecutive ones end it.
   */
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
    throw new UnreadableText('an unterminated code')
  }

  /** Skips bits and returns the position of the first. */
  skip(bits: number): number {
    const from = this.at
    this.at += bits
    if (this.at > this.length) throw new UnreadableText('too short')
    return from
  }
}
