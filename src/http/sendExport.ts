import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ExportFormat } from '#contract/operation.ts'
import { openStream } from './streamReply.ts'

/** The lines of a file, in parts. `name` is the file name without its extension. */
export type ExportFile = { name: string; format: ExportFormat; parts: AsyncIterable<string> }

/** A caller that reads nothing for this time is disconnected. */
const slowReaderMs = 60_000
const contentTypes: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
}

/**
 * Sends a file while it is read, and reads no further part while the caller is slow. The first part is read before the
 * headers are sent, so that a refused query is answered with an Error object. A later failure breaks the connection,
 * which shows the caller that the file is incomplete.
 */
export async function sendExport(
  { raw: request }: FastifyRequest,
  reply: FastifyReply,
  { name, format, parts }: ExportFile,
  slowMs = slowReaderMs,
): Promise<void> {
  const iterator = parts[Symbol.asyncIterator]()
  let part = await iterator.next()
  const headers = {
    'content-type': contentTypes[format],
    'content-disposition': `attachment; filename="${name}.${format}"`,
    'x-content-type-options': 'nosniff',
  }
  const { raw, isClosed, write } = openStream(reply, headers, slowMs)
  try {
    for (; !part.done; part = await iterator.next()) {
      if (isClosed() || request.destroyed) break
      if (part.value !== '') await write(part.value)
    }
    raw.end()
  } catch {
    raw.destroy()
  } finally {
    await iterator.return?.()
  }
}
