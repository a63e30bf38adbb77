import { once } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A server-sent event. An empty one sends nothing and only checks whether the connection is open. */
export type SseMessage = { event?: string; id?: string; data?: unknown; comment?: string }

/** A caller that reads nothing for this time is disconnected; it may resume with `Last-Event-ID`. */
const slowReaderMs = 15_000

/** The format of the HTML standard, 9.2. JSON text has no line breaks. */
export function formatMessage({ event, id, data, comment }: SseMessage): string {
  const lines = [
    comment !== undefined && `: ${comment}`,
    event !== undefined && `event: ${event}`,
    id !== undefined && `id: ${id}`,
    data !== undefined && `data: ${JSON.stringify(data)}`,
  ].filter((line) => line !== false)
  return lines.length > 0 ? `${lines.join('\n')}\n\n` : ''
}

/** Whether the server has stopped accepting connections. */
const isClosing = ({ raw }: FastifyRequest) =>
  (raw.socket as { server?: { listening?: boolean } }).server?.listening === false

/**
 * Sends messages until they end, the caller disconnects, or the server stops. Requests no message while a caller is
 * slow, so that none is buffered in memory.
 */
export async function sendEventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  messages: AsyncIterable<SseMessage>,
): Promise<void> {
  reply.hijack()
  const { raw } = reply
  const closed = new AbortController()
  raw.once('close', () => closed.abort())
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  try {
    for await (const message of messages) {
      if (closed.signal.aborted || isClosing(request)) break
      const text = formatMessage(message)
      if (text === '' || raw.write(text)) continue
      await once(raw, 'drain', { signal: AbortSignal.any([closed.signal, AbortSignal.timeout(slowReaderMs)]) })
    }
    raw.end()
  } catch {
    raw.destroy()
  }
}
