import { setImmediate } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { openStream } from './streamReply.ts'

/** A server-sent event, or its text if several streams send it. */
export type SseMessage = { event?: string; id?: string; data?: unknown; comment?: string } | { text: string }

/** A caller that reads nothing for this time is disconnected; it may resume with `Last-Event-ID`. */
const slowReaderMs = 15_000

/** The format of the HTML standard, 9.2. JSON text has no line breaks. */
export function formatMessage(message: SseMessage): string {
  if ('text' in message) return message.text
  const { event, id, data, comment } = message
  const lines = [
    comment !== undefined && `: ${comment}`,
    event !== undefined && `event: ${event}`,
    id !== undefined && `id: ${id}`,
    data !== undefined && `data: ${JSON.stringify(data)}`,
  ].filter((line) => line !== false)
  return lines.length > 0 ? `${lines.join('\n')}\n\n` : ''
}

/** The size of one write, in UTF-16 units. Other work runs between two writes. */
const writeSize = 64 * 1024

/** The text of messages in pieces of about `writeSize`. */
function* piecesOf(messages: readonly SseMessage[]): Generator<string> {
  let piece = ''
  for (const message of messages) {
    piece += formatMessage(message)
    if (piece.length < writeSize) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}

/** Whether the server has stopped accepting connections. */
const isClosing = ({ raw }: FastifyRequest) =>
  (raw.socket as { server?: { listening?: boolean } }).server?.listening === false

/**
 * Sends groups of messages until they end, the caller disconnects, or the server stops. An empty group sends nothing and
 * only checks whether the connection is open. No group is requested while the caller is slow, so that none is buffered.
 */
export async function sendEventStream(
  request: FastifyRequest,
  reply: FastifyReply,
  groups: AsyncIterable<readonly SseMessage[]>,
  slowMs = slowReaderMs,
): Promise<void> {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
  const { raw, isClosed, write } = openStream(reply, headers, slowMs)
  try {
    for await (const messages of groups) {
      if (isClosed() || isClosing(request)) break
      let pieces = 0
      for (const piece of piecesOf(messages)) {
        if (pieces++ > 0) await setImmediate()
        await write(piece)
      }
    }
    raw.end()
  } catch {
    raw.destroy()
  }
}
