import type { Exchange } from '#contract/journey.ts'
import { mark } from '#provider/engine/redaction.ts'

/**
 * The JSON of an exchange, in UTF-8. An exchange waits until the outcomes of earlier attempts are written. As an object or a
 * string it would outlive V8's young generation, and V8 would copy it twice; these bytes are outside of V8's heap.
 */
export type EncodedExchange = Uint8Array

/**
 * Stands for masked text in an encoded exchange. With one character beyond Latin-1, such as `•`, V8 would store two bytes for
 * each character of a body and of its JSON.
 */
export const oneByteMark = '\x7f'

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

/** Parses JSON that contains encoded exchanges. */
export const parseExchanges = (json: Uint8Array): unknown =>
  JSON.parse(Buffer.from(json.buffer, json.byteOffset, json.length).toString().replaceAll(oneByteMark, mark))

export const decodeExchange = (encoded: EncodedExchange): Exchange => parseExchanges(encoded) as Exchange
