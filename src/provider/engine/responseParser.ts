/** The head of a response. Names of headers are in lower case; repeated ones are joined by a comma. */
export type ResponseHead = { status: number; headers: Record<string, string>; mayKeep: boolean }

/** What a response does not do: it breaks the rules of HTTP/1.1 (RFC 9112), or its head is too long. */
export class MalformedResponse extends Error {
  readonly code = 'AGLET_MALFORMED'
}

export type ParserEvents = {
  onHead(head: ResponseHead): void
  onBody(chunk: Buffer): void
  /** `mayReuse`: the connection may be used again. */
  onEnd(mayReuse: boolean): void
}

/** Reads one response from the bytes of a connection. Throws MalformedResponse, after which it must not be used again. */
export type ResponseParser = {
  take(chunk: Buffer): void
  /** The other side has ended the connection. True if this ends the response. */
  end(): boolean
}

const maxHeadBytes = 16 * 1024
const maxChunkLine = 1024
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/
const chunkLine = /^([0-9a-fA-F]{1,13})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/
const headEnd = Buffer.from('\r\n\r\n')

const malformed = (why: string) => new MalformedResponse(why)

function parseHeaders(lines: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  for (const line of lines) {
    const match = headerLine.exec(line)
    if (!match) throw malformed('a header')
    const name = match[1]!.toLowerCase()
    const value = match[2]!.trimEnd()
    const known = headers[name]
    if (known !== undefined && (name === 'content-length' || name === 'transfer-encoding')) throw malformed(name)
    headers[name] = known === undefined ? value : `${known}, ${value}`
  }
  return headers
}

/** How long the body is: in bytes, in chunks, or until the connection ends. */
type Framing = number | 'chunked' | 'close'

function framingOf({ status, headers }: ResponseHead, method: string): Framing {
  const { 'transfer-encoding': encoding, 'content-length': length } = headers
  if (encoding !== undefined && length !== undefined) throw malformed('two lengths')
  if (length !== undefined && !/^\d{1,15}$/.test(length)) throw malformed('content-length')
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') throw malformed('transfer-encoding')
  if (method === 'HEAD' || status === 204 || status === 304) return 0
  if (encoding !== undefined) return 'chunked'
  return length === undefined ? 'close' : Number(length)
}

function parseHead(text: string): ResponseHead {
  if (/\r(?!\n)|(?<!\r)\n/.test(text)) throw malformed('a line end')
  const [first = '', ...lines] = text.split('\r\n')
  const match = statusLine.exec(first)
  if (!match) throw malformed('the status line')
  const headers = parseHeaders(lines)
  const options = (headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((option) => option.trim())
  const mayKeep = match[1] === '1' ? !options.includes('close') : options.includes('keep-alive')
  return { status: Number(match[2]), headers, mayKeep }
}

export function createResponseParser(method: string, { onHead, onBody, onEnd }: ParserEvents): ResponseParser {
  let state: 'head' | 'body' | 'chunkLine' | 'chunk' | 'chunkEnd' | 'trailer' | 'close' | 'over' = 'head'
  let rest: Buffer = Buffer.alloc(0)
  let left = 0
  let mayKeep = false
  let trailerBytes = 0

  function finish(surplus: number): void {
    state = 'over'
    onEnd(mayKeep && surplus === 0)
  }
  /** The text up to a mark, which is taken too; undefined if it is not there yet. */
  function takeUntil(mark: Buffer | '\r\n', limit: number): string | undefined {
    const at = rest.indexOf(mark)
    if (at > limit || (at < 0 && rest.length > limit + 4)) throw malformed('a text that is too long')
    if (at < 0) return undefined
    const text = rest.toString('latin1', 0, at)
    rest = rest.subarray(at + mark.length)
    return text
  }
  /** Each step takes what it can. False if it needs more bytes. */
  const steps = {
    head(): boolean {
      const text = takeUntil(headEnd, maxHeadBytes)
      if (text === undefined) return false
      const head = parseHead(text)
      if (head.status === 101) throw malformed('an upgrade')
      if (head.status < 200) return true
      const framing = framingOf(head, method)
      mayKeep = head.mayKeep && framing !== 'close'
      onHead(head)
      if (framing === 'chunked') state = 'chunkLine'
      else if (framing === 'close') state = 'close'
      else if (framing === 0) finish(rest.length)
      else {
        left = framing
        state = 'body'
      }
      return true
    },
    body(): boolean {
      takeBody()
      if (left === 0) finish(rest.length)
      return left === 0
    },
    chunkLine(): boolean {
      const text = takeUntil('\r\n', maxChunkLine)
      if (text === undefined) return false
      const match = chunkLine.exec(text)
      if (!match) throw malformed('the size of a chunk')
      left = Number.parseInt(match[1]!, 16)
      state = left === 0 ? 'trailer' : 'chunk'
      return true
    },
    chunk(): boolean {
      takeBody()
      if (left === 0) state = 'chunkEnd'
      return left === 0
    },
    chunkEnd(): boolean {
      if (rest.length < 2) return false
      if (rest[0] !== 13 || rest[1] !== 10) throw malformed('the end of a chunk')
      rest = rest.subarray(2)
      state = 'chunkLine'
      return true
    },
    trailer(): boolean {
      const text = takeUntil('\r\n', maxHeadBytes)
      if (text === undefined) return false
      trailerBytes += text.length
      if (trailerBytes > maxHeadBytes) throw malformed('a trailer that is too long')
      if (text === '') finish(rest.length)
      else if (!headerLine.test(text)) throw malformed('a trailer')
      return true
    },
    close(): boolean {
      if (rest.length > 0) onBody(rest)
      rest = rest.subarray(rest.length)
      return false
    },
    over: () => false,
  }
  function takeBody(): void {
    const chunk = rest.subarray(0, left)
    left -= chunk.length
    rest = rest.subarray(chunk.length)
    if (chunk.length > 0) onBody(chunk)
  }
  return {
    take(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      while (steps[state]());
    },
    end() {
      if (state !== 'close') return false
      finish(0)
      return true
    },
  }
}
