import type { IncomingMessage } from 'node:http'
import { type Fault, fault } from '#contract/fault.ts'

/** The maximum number of header lines. */
export const maxHeaders = 64

/** `uri-host [":" port]` of RFC 9110 §7.2. A name of RFC 3986 is not percent-decoded, so that it has one reading. */
const hostValue = /^(?:\[[0-9A-Fa-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d{0,5})?$/

/** The absolute form of a target (RFC 9112 §3.2.2): the authority, and the path with the query. */
const absoluteForm = /^https?:\/\/([^/?#]+)((?:[/?][^#]*)?)$/i

const broken = (message: string) => fault('httpBroken', { message, headers: { connection: 'close' } })

/**
 * The fault of a request whose head is not valid by RFC 9112 although the parser accepts it. A target in absolute form
 * is replaced by its path, and the header Host by its authority, as §3.2.2 says.
 */
export function checkHead(request: IncomingMessage): Fault | undefined {
  const { rawHeaders, headers, httpVersion } = request
  if (rawHeaders.length > maxHeaders * 2) return fault('headersTooLarge', { headers: { connection: 'close' } })
  if (headers.host === undefined ? httpVersion === '1.1' : hasTwoHosts(rawHeaders))
    return broken('Send exactly one Host header.')
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return fault('transferCodingUnknown', { headers: { connection: 'close' } })
  return adoptTarget(request) ? undefined : broken('The target of the request or its Host header is not valid.')
}

/**
 * node:http uses the first Host header, a proxy may use the second. Access depends on the host, so both are refused.
 */
const hasTwoHosts = (rawHeaders: readonly string[]) =>
  rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host').length > 1

/** False for a target or a host that is not valid. */
function adoptTarget(request: IncomingMessage): boolean {
  const { url = '', method, headers } = request
  if (url === '*') return method === 'OPTIONS'
  if (!url.startsWith('/')) {
    const [, authority, path = ''] = absoluteForm.exec(url) ?? []
    if (authority === undefined) return false
    headers.host = authority
    request.url = path.startsWith('/') ? path : `/${path}`
  }
  return headers.host === undefined || hostValue.test(headers.host)
}
