import { validateHeaderName, validateHeaderValue } from 'node:http'

/** The response of a webhook. `body` is text or bytes. */
export type WebhookResponse = { status: number; headers: [name: string, value: string][]; body: string | Buffer }

const isText = (value: unknown): value is string => typeof value === 'string'

const isHeader = (pair: unknown): pair is [string, string] => {
  const [name, value] = Array.isArray(pair) && pair.length === 2 ? (pair as unknown[]) : []
  if (!isText(name) || !isText(value)) return false
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}

/** Validates a Response from the sandbox, because code is untrusted; undefined if it is invalid. */
export function readResponse(value: unknown): WebhookResponse | undefined {
  const { status, headers, body, latin1 } = Object(value) as Record<string, unknown>
  const isGood =
    Number.isInteger(status) &&
    (status as number) >= 200 &&
    (status as number) <= 599 &&
    Array.isArray(headers) &&
    headers.every(isHeader) &&
    (isText(body) || isText(latin1))
  if (!isGood) return undefined
  return {
    status: status as number,
    headers: headers.map(([name, value]) => [name.toLowerCase(), value]),
    body: isText(latin1) ? Buffer.from(latin1, 'latin1') : (body as string),
  }
}

const publicHeaderName = /^(content-type|cache-control|x-.*)$/
/** Headers that a reverse proxy acts on, and headers that the edge sets itself. */
const reservedHeaderName = /^x-(accel|sendfile|lighttpd|litespeed|reproxy|aglet|content-type-options$)/

/**
 * The headers of a webhook's response that are sent. The response cannot set a cookie or redirect, and the content
 * security policy keeps its page out of the server's origin.
 */
export const publicHeaders = ({ headers }: WebhookResponse): Record<string, string> => ({
  ...Object.fromEntries(headers.filter(([name]) => publicHeaderName.test(name) && !reservedHeaderName.test(name))),
  'content-security-policy': 'sandbox',
  'x-content-type-options': 'nosniff',
})
