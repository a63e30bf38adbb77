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

const maxHeadBytes = 16 * 1024
const maxChunkLine = 1024
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/
const chunkLine = /^([0-9a-fA-F]{1,13})[ \t]*(?:;[\t\x20-\x7e\x80-\xff]*)?$/
const headEnd = Buffer.from('\r\n\r\n')
const lineEnd = Buffer.from('\r\n')

const malformed = (what: string) => new MalformedResponse(what)

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
  const options = (headers.connection ?? '').toLowerCase().split(',')
  const has = (option: string) => options.some((each) => each.trim() === option)
  return { status: Number(match[2]), headers, mayKeep: match[1] === '1' ? !has('close') : has('keep-alive') }
}

type State = 'head' | 'body' | 'chunkLine' | 'chunk' | 'chunkEnd' | 'trailer' | 'close' | 'over'

/** Reads one response from the bytes of a connection. Throws MalformedResponse, after which it must not be used again. */
export class ResponseParser {
  readonly #method: string
  readonly #events: ParserEvents
  #state: State = 'head'
  #rest: Buffer = Buffer.alloc(0)
  #left = 0
  #mayKeep = false
  #trailerBytes = 0

  constructor(method: string, events: ParserEvents) {
    this.#method = method
    this.#events = events
  }
  take(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    while (this.#step());
  }
  /** The other side has ended the connection. True if this ends the response. */
  end(): boolean {
    if (this.#state !== 'close') return false
    this.#finish()
    return true
  }
  /** Takes what it can. False if it needs more bytes. */
  #step(): boolean {
    switch (this.#state) {
      case 'head':
        return this.#head()
      case 'body':
        return this.#takeBody() && this.#finish()
      case 'chunkLine':
        return this.#chunkLine()
      case 'chunk':
        return this.#takeBody() && this.#enter('chunkEnd')
      case 'chunkEnd':
        return this.#chunkEnd()
      case 'trailer':
        return this.#trailer()
      case 'close':
        this.#left = this.#rest.length
        this.#takeBody()
        return false
      case 'over':
        return false
    }
  }
  #enter(state: State): true {
    this.#state = state
    return true
  }
  #finish(): true {
    this.#events.onEnd(this.#mayKeep && this.#rest.length === 0)
    return this.#enter('over')
  }
  /** The text up to a mark, which is taken too; undefined if it is not there yet. */
  #takeUntil(mark: Buffer, limit: number): string | undefined {
    const at = this.#rest.indexOf(mark)
    if (at > limit || (at < 0 && this.#rest.length > limit + mark.length)) throw malformed('a text that is too long')
    if (at < 0) return undefined
    const text = this.#rest.toString('latin1', 0, at)
    this.#rest = this.#rest.subarray(at + mark.length)
    return text
  }
  /** Takes what is there of the body. True if that is all of it. */
  #takeBody(): boolean {
    const chunk = this.#rest.subarray(0, this.#left)
    this.#left -= chunk.length
    this.#rest = this.#rest.subarray(chunk.length)
    if (chunk.length > 0) this.#events.onBody(chunk)
    return this.#left === 0
  }
  #head(): boolean {
    const text = this.#takeUntil(headEnd, maxHeadBytes)
    if (text === undefined) return false
    const head = parseHead(text)
    if (head.status === 101) throw malformed('an upgrade')
    if (head.status < 200) return true
    const framing = framingOf(head, this.#method)
    this.#mayKeep = head.mayKeep && framing !== 'close'
    this.#events.onHead(head)
    if (framing === 'chunked') return this.#enter('chunkLine')
    if (framing === 'close') return this.#enter('close')
    this.#left = framing
    return framing === 0 ? this.#finish() : this.#enter('body')
  }
  #chunkLine(): boolean {
    const text = this.#takeUntil(lineEnd, maxChunkLine)
    if (text === undefined) return false
    const match = chunkLine.exec(text)
    if (!match) throw malformed('the size of a chunk')
    this.#left = Number.parseInt(match[1]!, 16)
    return this.#enter(this.#left === 0 ? 'trailer' : 'chunk')
  }
  #chunkEnd(): boolean {
    if (this.#rest.length < 2) return false
    if (this.#rest[0] !== 13 || this.#rest[1] !== 10) throw malformed('the end of a chunk')
    this.#rest = this.#rest.subarray(2)
    return this.#enter('chunkLine')
  }
  #trailer(): boolean {
    const text = this.#takeUntil(lineEnd, maxHeadBytes)
    if (text === undefined) return false
    this.#trailerBytes += text.length
    if (this.#trailerBytes > maxHeadBytes) throw malformed('a trailer that is too long')
    if (text === '') return this.#finish()
    if (!headerLine.test(text)) throw malformed('a trailer')
    return true
  }
}
