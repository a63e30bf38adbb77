import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { fault } from '#contract/fault.ts'

const inflate = promisify(gunzip)

/** Is told of every piece that has come, and throws where no more is to be read. */
export type Took = (bytes: number) => void

/**
 * Reads a body, gzip undone. Throws contentTypeRefused before anything is read, and bodyTooLarge as soon as it is
 * known. Of a sender that hangs up nothing is ever heard: the promise is dropped with it.
 */
export async function receiveBody(request: IncomingMessage, maxBytes: number, took: Took): Promise<Buffer> {
  const isGzip = refuseOtherContent(request.headers)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw fault('bodyTooLarge')
  const body = await collect(request, maxBytes, took)
  return isGzip ? unpack(body, maxBytes) : body
}

/** Reads a body of any type. `isPlain`: it came packed by gzip, and that is undone. Throws bodyTooLarge and jsonBroken. */
export async function receiveAnything(
  request: IncomingMessage,
  maxBytes: number,
  took: Took,
): Promise<{ bytes: Buffer; isPlain: boolean }> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw fault('bodyTooLarge')
  const body = await collect(request, maxBytes, took)
  const isPlain = request.headers['content-encoding']?.toLowerCase() === 'gzip'
  return { bytes: isPlain ? await unpack(body, maxBytes) : body, isPlain }
}

function collect(request: IncomingMessage, maxBytes: number, took: Took): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const take = (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      try {
        took(chunk.length)
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
      : fault('jsonBroken', { message: 'The body is not gzip, as its header says.' })
  }
}

const readable = /^\s*(application\/json|text\/plain)\s*(;|$)/i
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(;|$))/i

/** JSON, said so, or as text: a beacon can say nothing else without a preflight. True for one that is packed by gzip. */
function refuseOtherContent({ 'content-type': type, 'content-encoding': encoding }: IncomingHttpHeaders): boolean {
  if (type !== undefined && type !== 'application/json' && (!readable.test(type) || otherCharset.test(type)))
    throw fault('contentTypeRefused', { message: 'Send the body as application/json (or text/plain) in UTF-8.' })
  if (encoding === undefined || encoding === 'identity') return false
  if (encoding.toLowerCase() === 'gzip') return true
  throw fault('contentTypeRefused', { message: 'Send the body as it is, or packed by gzip.' })
}
