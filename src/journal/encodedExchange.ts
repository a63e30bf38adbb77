import type { Exchange } from '#contract/journey.ts'
import { mark } from '#provider/engine/redaction.ts'

/**
 * An exchange as bytes: the lengths of its three parts, then JSON of all but the bodies, then the two bodies, in UTF-8. JSON
 * of a body would escape each of its quotes. An exchange waits until the outcomes of earlier attempts are written. As an
 * object or a string it would outlive V8's young generation, and V8 would copy it twice; these bytes are outside of V8's heap.
 */
export type EncodedExchange = Uint8Array

/**
 * Stands for masked text in an encoded exchange. With one character beyond Latin-1, such as `•`, V8 would store two bytes for
 * each character of a body. The same character in what was sent or received is shown as masked text, too.
 */
export const oneByteMark = '\x7f'

const lengthsLength = 3 * Int32Array.BYTES_PER_ELEMENT
/** The length of a body that is absent. */
const absent = -1
const longestCharacter = 3 // bytes of UTF-8 for one UTF-16 code unit
const slabLength = 64 * 1024
let slab = Buffer.allocUnsafeSlow(slabLength)
let used = 0

export function encodeExchange({ request, response }: Exchange): EncodedExchange {
  const head = JSON.stringify([request.method, request.url, request.headers, response?.status, response?.headers])
  const parts = [head, request.body, response?.body]
  const longest = parts.reduce((sum, part = '') => sum + part.length * longestCharacter, lengthsLength)
  if (longest > slabLength) {
    const bytes = Buffer.allocUnsafeSlow(longest)
    return bytes.subarray(0, writeParts(bytes, 0, parts))
  }
  if (used + longest > slabLength) {
    slab = Buffer.allocUnsafeSlow(slabLength)
    used = 0
  }
  const start = used
  used = writeParts(slab, start, parts)
  return slab.subarray(start, used)
}

/** Returns the end of the last part. */
function writeParts(bytes: Buffer, start: number, parts: readonly (string | undefined)[]): number {
  let [end, place] = [start + lengthsLength, start]
  for (const part of parts) {
    const length = part === undefined ? absent : bytes.write(part, end)
    place = bytes.writeInt32LE(length, place)
    end += Math.max(length, 0)
  }
  return end
}

export function decodeExchange(encoded: EncodedExchange): Exchange {
  const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.length)
  let end = lengthsLength
  const readPart = (place: number): string | undefined => {
    const length = bytes.readInt32LE(place)
    if (length === absent) return undefined
    end += length
    return bytes.toString('utf8', end - length, end).replaceAll(oneByteMark, mark)
  }
  const [head = '', requestBody, responseBody] = [readPart(0), readPart(4), readPart(8)]
  const [method, url, headers, status, responseHeaders] = JSON.parse(head)
  const request = { method, url, headers, ...(requestBody !== undefined && { body: requestBody }) }
  if (status === null) return { request }
  const response = { status, headers: responseHeaders, ...(responseBody !== undefined && { body: responseBody }) }
  return { request, response }
}
