import type { Exchange } from '#contract/journey.ts'

/** A word for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A request as a curl command. Redacted values stay redacted. */
export function curlOf({ method, url, headers, body }: Exchange['request']): string {
  const lines = [`curl -X ${method} ${quoted(url)}`]
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (body !== undefined) lines.push(`--data-raw ${quoted(body)}`)
  return lines.join(' \\\n  ')
}

/** The text of a body: JSON indented by two spaces, anything else unchanged. */
export function bodyText(body: string | undefined): string {
  if (!body) return ''
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

/** A request or response as text: start line, headers, body. */
export const messageText = (start: string, headers: Record<string, string>, body: string | undefined): string =>
  [start, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', bodyText(body)]
    .join('\n')
    .trimEnd()
