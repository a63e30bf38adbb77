import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { errorObject, type Fault } from '#contract/fault.ts'
import { limits } from '#event/limits.ts'

/** Answers with JSON text. */
export function answer(response: ServerResponse, status: number, text: string, headers: OutgoingHttpHeaders): void {
  response.writeHead(status, jsonHeaders(text, headers))
  response.end(text)
}

/** Answers with an Error object. A body that nobody will read, and that may be long, costs the connection. */
export function answerFault(
  request: IncomingMessage,
  response: ServerResponse,
  problem: Fault,
  headers: OutgoingHttpHeaders,
): void {
  const text = JSON.stringify(errorObject(problem))
  const told = { ...headers, ...problem.headers, 'cache-control': 'no-store' }
  if (!mayBeLong(request)) {
    answer(response, problem.status, text, told)
    return
  }
  response.writeHead(problem.status, jsonHeaders(text, { ...told, connection: 'close' }))
  response.write(text)
  endGently(request, response)
}

function jsonHeaders(text: string, headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  headers['content-type'] = 'application/json; charset=utf-8'
  headers['content-length'] = Buffer.byteLength(text)
  headers['x-content-type-options'] = 'nosniff'
  return headers
}

/** Whether more is to come than a body of ours may have: what is shorter, node:http reads past by itself. */
function mayBeLong({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > limits.bodyBytes
}

const lingerMs = 1_000
const lingerBytes = 8 * 1024 * 1024

/**
 * Closing on a sender that is still sending resets the connection, often before it has read the answer. So what comes
 * is read and thrown away, until the sender stops; but not for long, and not for much.
 */
function endGently(request: IncomingMessage, response: ServerResponse): void {
  let left = lingerBytes
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, lingerMs)
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) end()
  })
  request.on('close', end)
}
