import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

/** A response that is written in parts. */
type StreamReply = {
  raw: ServerResponse
  isClosed(): boolean
  /** Writes a part, and waits while the caller reads nothing. Throws if that takes longer than `slowMs`. */
  write(part: string): Promise<void>
}

/** Takes over a response from Fastify, and sends its headers. */
export function openStream(reply: FastifyReply, headers: Record<string, string>, slowMs: number): StreamReply {
  reply.hijack()
  const { raw } = reply
  const closed = new AbortController()
  raw.once('close', () => closed.abort())
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    ...headers,
    'cache-control': 'no-store',
  })
  return {
    raw,
    isClosed: () => closed.signal.aborted,
    async write(part) {
      if (raw.write(part)) return
      await once(raw, 'drain', { signal: AbortSignal.any([closed.signal, AbortSignal.timeout(slowMs)]) })
    },
  }
}
