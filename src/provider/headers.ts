import { parseJson } from '#kit/json.ts'

/** Headers that carry the message itself, or that Aglet sets. */
const own =
  /^(host|connection|content-length|transfer-encoding|te|trailer|upgrade|keep-alive|expect|proxy-.*|webhook-.*|x-aglet-.*)$/i

const isHeader = ([name, value]: [string, unknown]) =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && !own.test(name) && typeof value === 'string' && /^[\t\x20-\x7e]*$/.test(value)

/** Headers that a customer wrote; undefined where the text is not a JSON object of texts that can stand in a request. */
export function headersOf(text = '{}'): Record<string, string> | undefined {
  try {
    const headers = parseJson(text) as unknown
    if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return undefined
    return Object.entries(headers).every(isHeader) ? (headers as Record<string, string>) : undefined
  } catch {
    return undefined
  }
}

/** For the `check` of a variable that holds headers. */
export const headersCheck = (text: string): string | undefined =>
  headersOf(text)
    ? undefined
    : 'Write a JSON object of header names and texts, without host, content-length and the like.'
