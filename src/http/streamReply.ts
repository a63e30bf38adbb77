import { once } from 'node:events'
import type { FastifyReply } from 'fastify'

/** Takes over a response from Fastify, and sends its headers. */
export function openStream(reply: FastifyReply, headers: Record<string, string>, slowMs: number) {
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
    /** Writes a part, and waits while the caller reads nothing. Throws if that takes longer than `slowMs`. */
    async write(part: string) {
      if (raw.write(part)) return
      await once(raw, 'drain', { signal: AbortSignal.any([closed.signal, AbortSignal.timeout(slowMs)]) })
    },
  }
}
