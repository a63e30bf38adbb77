import type { Exchange } from '#contract/journey.ts'

/**
 * The JSON of an exchange, in UTF-8. An exchange waits until the outcomes of earlier attempts are written. As an object or a
 * string it would outlive V8's young generation, and V8 would copy it twice; these bytes are outside of V8's heap.
 */
export type EncodedExchange = Uint8Array

const longestCharacter = 3 // bytes of UTF-8 for one UTF-16 code unit
const slabLength = 64 * 1024
let slab = Buffer.allocUnsafeSlow(slabLength)
let used = 0

export function encodeExchange(exchange: Exchange): EncodedExchange {
  const text = JSON.stringify(exchange)
  const longest = text.length * longestCharacter
  if (longest > slabLength) return Buffer.from(text)
  if (used + longest > slabLength) {
    slab = Buffer.allocUnsafeSlow(slabLength)
    used = 0
  }
  const start = used
  used += slab.write(text, start)
  return slab.subarray(start, used)
}

const decoder = new TextDecoder()

export const decodeExchange = (encoded: EncodedExchange): Exchange => JSON.parse(decoder.decode(encoded)) as Exchange
