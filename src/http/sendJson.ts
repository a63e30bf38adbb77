import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '#contract/operations.ts'
import { etagOf, matchesEtag } from '#kit/etag.ts'
import { yieldToEventLoop } from '#kit/yieldToEventLoop.ts'

/** A list with at least this many elements may have megabytes. */
const fewestLong = 50
/** Approximate number of characters per write. */
const partLength = 64 * 1024

const isLong = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length >= fewestLong

/** The JSON of an object with long lists, element by element, so that it is never in memory as a whole and does not block. */
export function* jsonParts(answer: object): Generator<string> {
  let part = '{'
  let isFirst = true
  for (const [name, value] of Object.entries(answer)) {
    const whole = isLong(value) ? '[' : JSON.stringify(value)
    if (whole === undefined) continue
    part += `${isFirst ? '' : ','}${JSON.stringify(name)}:${whole}`
    isFirst = false
    if (!isLong(value)) continue
    for (const [n, each] of value.entries()) {
      part += `${n === 0 ? '' : ','}${JSON.stringify(each) ?? 'null'}`
      if (part.length < partLength) continue
      yield part
      part = ''
    }
    part += ']'
  }
  yield `${part}}`
}

async function* inTurns(parts: Iterable<string>): AsyncGenerator<string> {
  for (const part of parts) {
    yield part
    await yieldToEventLoop()
  }
}

/** The texts of answers that are the same object for every caller: a document of a megabyte is serialized once. */
const written = new WeakMap<object, { text: string; etag: string }>()

function writtenOnce(answer: object): { text: string; etag: string } {
  const known = written.get(answer)
  if (known) return known
  const text = JSON.stringify(answer)
  const made = { text, etag: etagOf(text) }
  written.set(answer, made)
  return made
}

/** Sends the response as JSON. A cacheable response has an ETag, and becomes 304 if the caller has it. */
export function sendJson(
  { access, maxAgeS }: Operation,
  answer: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply.type('application/json; charset=utf-8')
  if (maxAgeS === undefined) {
    reply.header('cache-control', 'no-store')
    const isInParts = typeof answer === 'object' && answer !== null && Object.values(answer).some(isLong)
    return reply.send(
      isInParts ? Readable.from(inTurns(jsonParts(answer)), { objectMode: false }) : JSON.stringify(answer),
    )
  }
  const { text, etag } = writtenOnce(answer as object)
  reply.header('etag', etag)
  reply.header('cache-control', `${access === 'public' ? 'public' : 'private'}, max-age=${maxAgeS}`)
  // Public documents contain no personal data, so pages of any origin may read them.
  if (access === 'public') reply.header('access-control-allow-origin', '*')
  return matchesEtag(etag, request.headers['if-none-match']) ? reply.code(304).send() : reply.send(text)
}
