const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const badValue = /[^\t\x20-\x7e\x80-\xff]/
/** Headers that control the connection or the message framing. Only the client sets them. */
const ofTheConnection = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])
const withBody = new Set(['POST', 'PUT', 'PATCH'])

/** A request that cannot be written as one HTTP/1.1 message. */
class UnwritableRequest extends Error {
  readonly code = 'BAD_REQUEST'
}

export type OutgoingRequest = {
  url: URL
  method: string
  headers: Readonly<Record<string, string>>
  body: Buffer | string | undefined
}

/** The request line and headers. */
function headOf({ url, method, headers }: OutgoingRequest, bodyLength: number | undefined): string {
  if (!token.test(method) || method === 'CONNECT') throw new UnwritableRequest()
  let lines = ''
  let host = url.host
  const length = `${bodyLength ?? 0}`
  for (const name in headers) {
    const value = headers[name]!
    if (!token.test(name) || badValue.test(value)) throw new UnwritableRequest()
    const lower = name.toLowerCase()
    if (lower === 'host') host = value
    else if (!ofTheConnection.has(lower)) lines += `${name}: ${value}\r\n`
    else if (lower !== 'content-length' || value !== length) throw new UnwritableRequest()
  }
  if (bodyLength !== undefined || withBody.has(method)) lines += `content-length: ${length}\r\n`
  return `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n${lines}\r\n`
}

/**
 * The bytes of a request. Throws UnwritableRequest if the method, a name or a value could end its line, or if a header
 * controls the connection.
 */
export function requestBytes(request: OutgoingRequest): Buffer {
  const { body } = request
  const bodyLength = body === undefined ? undefined : Buffer.byteLength(body)
  const head = headOf(request, bodyLength)
  const bytes = Buffer.allocUnsafe(head.length + (bodyLength ?? 0))
  bytes.write(head, 'latin1')
  if (typeof body === 'string') bytes.write(body, head.length)
  else if (body) bytes.set(body, head.length)
  return bytes
}
