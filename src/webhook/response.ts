import { validateHeaderName, validateHeaderValue } from 'node:http'

/** What a webhook answered. `body` is a text, or bytes. */
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

/** A Response as it came out of the sandbox, whose word is a stranger's; undefined where it is none. */
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

const told = /^(content-type|cache-control|x-.*)$/
/** What a server in front of us would act on, and what we set ourselves. */
const ours = /^x-(accel|sendfile|lighttpd|litespeed|reproxy|aglet|content-type-options$)/

/**
 * The headers of a webhook's answer that go out, under ours: it never sets a cookie, leads nowhere, and no page of it is of
 * the origin that answers.
 */
export const outHeaders = ({ headers }: WebhookResponse): Record<string, string> => ({
  ...Object.fromEntries(headers.filter(([name]) => told.test(name) && !ours.test(name))),
  'content-security-policy': 'sandbox',
  'x-content-type-options': 'nosniff',
})
