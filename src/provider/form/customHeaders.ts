import { parseJsonObject } from './jsonObject.ts'

/** Headers of the connection and the message framing, and those that Aglet sets. */
const reserved =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|keep-alive|expect|proxy-.*|webhook-.*|x-aglet-.*)$/i

const isHeader = ([name, value]: [string, unknown]) =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) &&
  !reserved.test(name) &&
  typeof value === 'string' &&
  /^[\t\x20-\x7e]*$/.test(value)

/** The headers that a customer set. Undefined if the text is not a JSON object of valid header names and values. */
export function parseHeaders(text = '{}'): Record<string, string> | undefined {
  const headers = parseJsonObject(text)
  return headers && Object.entries(headers).every(isHeader) ? (headers as Record<string, string>) : undefined
}

/** The `check` of a variable that holds headers. */
export const headersCheck = (text: string): string | undefined =>
  parseHeaders(text)
    ? undefined
    : 'Write a JSON object of header names and texts, without host, content-length and the like.'
