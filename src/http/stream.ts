import { once } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** One message of a stream of server-sent events; an empty one only asks whether anybody is still there. */
export type Message = { event?: string; id?: string; data?: unknown; comment?: string }

/** A caller who takes nothing for so long is let go: it may come again with `Last-Event-ID`. */
const slowMs = 15_000

/** As the standard writes it (HTML, 9.2). JSON has no line breaks. */
export function lineOf({ event, id, data, comment }: Message): string {
  const lines = [
    comment !== undefined && `: ${comment}`,
    event !== undefined && `event: ${event}`,
    id !== undefined && `id: ${id}`,
    data !== undefined && `data: ${JSON.stringify(data)}`,
  ].filter((line) => line !== false)
  return lines.length > 0 ? `${lines.join('\n')}\n\n` : ''
}

/** Nothing new is begun once the server takes no more connections. */
const isClosing = ({ raw }: FastifyRequest) =>
  (raw.socket as { server?: { listening?: boolean } }).server?.listening === false

/**
 * Sends messages until they end, the caller goes, or the server stops. While a caller is slow no message is asked for: none is
 * held in memory for it.
 */
export async function sendMessages(
  request: FastifyRequest,
  reply: FastifyReply,
  messages: AsyncIterable<Message>,
): Promise<void> {
  reply.hijack()
  const { raw } = reply
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  try {
    for await (const message of messages) {
      if (gone.signal.aborted || isClosing(request)) break
      const text = lineOf(message)
      if (text === '' || raw.write(text)) continue
      await once(raw, 'drain', { signal: AbortSignal.any([gone.signal, AbortSignal.timeout(slowMs)]) })
    }
    raw.end()
  } catch {
    raw.destroy()
  }
}
