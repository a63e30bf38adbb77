import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { errorObject, type Fault } from '#contract/fault.ts'
import { eventLimits } from '#event/eventLimits.ts'

/** Sends JSON text. */
export function sendJson(response: ServerResponse, status: number, text: string, headers: OutgoingHttpHeaders): void {
  response.writeHead(status, jsonHeaders(text, headers))
  response.end(text)
}

/** Sends an Error object. Closes the connection if a long request body would otherwise have to be read first. */
export function sendFault(
  request: IncomingMessage,
  response: ServerResponse,
  problem: Fault,
  headers: OutgoingHttpHeaders,
): void {
  const text = JSON.stringify(errorObject(problem))
  const allHeaders = { ...headers, ...problem.headers, 'cache-control': 'no-store' }
  if (!mayBeLong(request)) {
    sendJson(response, problem.status, text, allHeaders)
    return
  }
  response.writeHead(problem.status, jsonHeaders(text, { ...allHeaders, connection: 'close' }))
  response.write(text)
  closeAfterBody(request, response)
}

function jsonHeaders(text: string, headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  headers['content-type'] = 'application/json; charset=utf-8'
  headers['content-length'] = Buffer.byteLength(text)
  headers['x-content-type-options'] = 'nosniff'
  return headers
}

/** True if the rest of the body may exceed the limit. node:http itself discards a shorter rest. */
function mayBeLong({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > eventLimits.bodyBytes
}

const lingerMs = 1_000
const lingerBytes = 8 * 1024 * 1024

/**
 * Ends the response after the sender has stopped, at most `lingerMs` or `lingerBytes` later, and discards the
 * received data. Closing while the sender still sends resets the connection (RST), often before the sender has read
 * the response.
 */
function closeAfterBody(request: IncomingMessage, response: ServerResponse): void {
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
