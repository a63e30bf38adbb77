import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { fault } from '#contract/fault.ts'

const inflate = promisify(gunzip)

/** Called with the size of each chunk that arrives. Throws to stop reading. */
type CountBytes = (bytes: number) => void

/**
 * Reads a JSON body, decompresses gzip and removes a byte order mark, which RFC 8259 §8.1 lets a parser ignore. Throws
 * contentTypeRefused before reading, and bodyTooLarge as soon as the limit is exceeded. The promise stays pending if the
 * sender disconnects.
 */
export async function receiveBody(request: IncomingMessage, maxBytes: number, countBytes: CountBytes): Promise<Buffer> {
  const isGzip = refuseOtherContent(request.headers)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw fault('bodyTooLarge')
  const body = await collect(request, maxBytes, countBytes)
  return withoutByteOrderMark(isGzip ? await unpack(body, maxBytes) : body)
}

const withoutByteOrderMark = (body: Buffer): Buffer =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body

/**
 * Reads a body of any type. `isUnpacked`: the body was gzip and is decompressed. Throws bodyTooLarge and jsonBroken.
 */
export async function receiveRawBody(
  request: IncomingMessage,
  maxBytes: number,
  countBytes: CountBytes,
): Promise<{ bytes: Buffer; isUnpacked: boolean }> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw fault('bodyTooLarge')
  const body = await collect(request, maxBytes, countBytes)
  const isUnpacked = isGzipCoding(request.headers['content-encoding'])
  return { bytes: isUnpacked ? await unpack(body, maxBytes) : body, isUnpacked }
}

function collect(request: IncomingMessage, maxBytes: number, countBytes: CountBytes): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      try {
        countBytes(chunk.length)
        if (bytes > maxBytes) throw fault('bodyTooLarge')
      } catch (problem) {
        request.off('data', take)
        chunks.length = 0
        reject(problem)
      }
    }
    request.on('data', take)
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes)))
  })
}

async function unpack(body: Buffer, maxBytes: number): Promise<Buffer> {
  try {
    return await inflate(body, { maxOutputLength: maxBytes })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw isTooLarge
      ? fault('bodyTooLarge')
      : fault('jsonBroken', {
          message: 'The body is not valid gzip. Compress it, or omit Content-Encoding.',
        })
  }
}

const readable = /^\s*(application\/json|text\/plain)\s*(;|$)/i
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(;|$))/i

/** Accepts JSON and text/plain, the only type that a beacon can send without a preflight. True for gzip. */
function refuseOtherContent({ 'content-type': type, 'content-encoding': encoding }: IncomingHttpHeaders): boolean {
  if (type !== undefined && type !== 'application/json' && (!readable.test(type) || otherCharset.test(type)))
    throw fault('contentTypeRefused', { message: 'Send the body as application/json or text/plain, in UTF-8.' })
  if (encoding === undefined || encoding === 'identity') return false
  if (isGzipCoding(encoding)) return true
  throw fault('contentTypeRefused', {
    message: 'Send the body uncompressed or with Content-Encoding: gzip.',
    headers: { 'accept-encoding': 'gzip, identity' }, // RFC 9110 §15.5.16
  })
}

/** RFC 9110 §8.4.1.3: `x-gzip` is equivalent to `gzip`. */
const isGzipCoding = (coding = '') => /^(x-)?gzip$/i.test(coding)
