import { once } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ExportFormat } from '#contract/operation.ts'

/** The lines of a file, in parts. `name` is the file name without its extension. */
export type ExportFile = { name: string; format: ExportFormat; parts: AsyncIterable<string> }

/** A caller that reads nothing for this time is disconnected. */
const slowReaderMs = 60_000
const contentTypes: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
}

/**
 * Sends a file as it is read, and reads no further part while the caller is slow. The first part is read before the
 * headers are sent, so that a refused query is answered as an Error object. A later failure breaks the connection: the
 * caller sees that the file is not complete.
 */
export async function sendExport(
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
  { name, format, parts }: ExportFile,
  slowMs = slowReaderMs,
): Promise<void> {
  const iterator = parts[Symbol.asyncIterator]()
  let part = await iterator.next()
  reply.hijack()
  const { raw } = reply
  const closed = new AbortController()
  raw.once('close', () => closed.abort())
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': contentTypes[format],
    'content-disposition': `attachment; filename="${name}.${format}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  try {
    for (; !part.done; part = await iterator.next()) {
      if (closed.signal.aborted || request.destroyed) break
      if (part.value === '' || raw.write(part.value)) continue
      await once(raw, 'drain', { signal: AbortSignal.any([closed.signal, AbortSignal.timeout(slowMs)]) })
    }
    raw.end()
  } catch {
    raw.destroy()
  } finally {
    await iterator.return?.()
  }
}
