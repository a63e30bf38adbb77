/** `headers`: names in lower case, the values of repeated names joined by `, `. `body`: its first bytes as UTF-8. */
export type HttpResponse = { status: number; headers: Record<string, string>; body: string }

/** The received bytes are not a complete HTTP/1.1 response. */
export class MalformedResponse extends Error {
  readonly code: string
  constructor(code: 'BAD_RESPONSE' | 'RESPONSE_TOO_LARGE' | 'CLOSED_EARLY') {
    super('The response is malformed.')
    this.code = code
  }
}

/** Limit for one head, and for all trailers and chunk extensions of a response together. */
const maxHeadBytes = 16 * 1024
const maxHeaders = 256
const maxInterim = 1_000

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const badValue = /[^\t\x20-\x7e\x80-\xff]/
const lengthText = /^\d{1,15}$/
const chunkLine = /^([0-9A-Fa-f]{1,8})(?:;[\w!#$%&'*+.^`|~-]+(?:=[\w!#$%&'*+.^`|~-]+)?)*$/
const closeOption = /(?:^|[,\t ])close(?:$|[,\t ])/i
const blankLine = Buffer.from('\r\n\r\n')
const lineEnd = Buffer.from('\r\n')

const isBlank = (code: number) => code === 0x20 || code === 0x09

/** Removes the spaces around the value. `trim` would remove more than HTTP allows. Like undici, keeps a tab at the end. */
function unpadded(line: string, from: number): string {
  let [start, end] = [from, line.length]
  while (start < end && isBlank(line.charCodeAt(start))) start++
  while (end > start && line.charCodeAt(end - 1) === 0x20) end--
  return line.slice(start, end)
}

function readField(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(colon, 0))
  const value = unpadded(line, colon + 1)
  if (!token.test(name) || badValue.test(value)) throw new MalformedResponse('BAD_RESPONSE')
  return [name.toLowerCase(), value]
}

type State = 'head' | 'length' | 'untilClose' | 'size' | 'chunk' | 'chunkEnd' | 'trailer' | 'done'

/**
 * Reads one response from bytes that arrive in pieces of any size. Stricter than the standard: rejects folded lines,
 * bare line feeds, repeated lengths, codings other than `chunked`, and protocol upgrades.
 */
export class ResponseReader {
  status = 0
  headers: HttpResponse['headers'] = {}
  /** The number of body bytes received. */
  readBytes = 0
  /** Whether the connection may be used for another request. */
  mayReuse = true
  #state: State = 'head'
  #held: Buffer | undefined
  #remaining = 0
  #extraBytes = 0
  #interim = 0
  #keptBytes = 0
  #kept: Buffer[] = []
  readonly #isHead: boolean
  readonly #maxKeptBytes: number

  constructor(method: string, maxKeptBytes: number) {
    this.#isHead = method === 'HEAD'
    this.#maxKeptBytes = maxKeptBytes
  }

  get isDone(): boolean {
    return this.#state === 'done'
  }
  get hasHead(): boolean {
    return this.status !== 0
  }
  response(): HttpResponse {
    const [first] = this.#kept
    const body = this.#kept.length > 1 ? Buffer.concat(this.#kept).toString() : (first?.toString() ?? '')
    return { status: this.status, headers: this.headers, body }
  }

  /** Throws MalformedResponse. Does not read bytes after the end of the response; the connection must then not be reused. */
  take(piece: Buffer): void {
    const bytes = this.#held ? Buffer.concat([this.#held, piece]) : piece
    this.#held = undefined
    let at = 0
    while (at < bytes.length && this.#state !== 'done') {
      const next = this.#step(bytes, at)
      if (next < 0) {
        // a copy: the socket may reuse the memory of these bytes
        this.#held = Buffer.from(bytes.subarray(at))
        return
      }
      at = next
    }
    if (at < bytes.length) this.mayReuse = false
  }

  /** Called when the other side has closed the connection. Throws MalformedResponse unless the response is complete. */
  end(): void {
    if (this.#state !== 'untilClose' && this.#state !== 'done') throw new MalformedResponse('CLOSED_EARLY')
    this.#state = 'done'
  }

  /** The next position to read from. Negative if more bytes are needed first. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'head':
        return this.#head(bytes, at)
      case 'length':
      case 'chunk':
        return this.#counted(bytes, at)
      case 'chunkEnd':
        if (bytes.length < at + 2) return -1
        if (bytes[at] !== 0x0d || bytes[at + 1] !== 0x0a) throw new MalformedResponse('BAD_RESPONSE')
        this.#state = 'size'
        return at + 2
      case 'untilClose':
        this.#keep(bytes, at, bytes.length)
        return bytes.length
      default:
        return this.#line(bytes, at)
    }
  }

  #head(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(blankLine, at)
    if ((end < 0 ? bytes.length : end) - at > maxHeadBytes) throw new MalformedResponse('RESPONSE_TOO_LARGE')
    if (end < 0) return -1
    const lines = bytes.toString('latin1', at, end).split('\r\n')
    const [, minor, status] = statusLine.exec(lines[0]!) ?? []
    if (status === undefined || status === '101') throw new MalformedResponse('BAD_RESPONSE')
    if (lines.length > maxHeaders + 1) throw new MalformedResponse('RESPONSE_TOO_LARGE')
    const headers: HttpResponse['headers'] = {}
    for (let n = 1; n < lines.length; n++) {
      const [name, value] = readField(lines[n]!)
      if (!Object.hasOwn(headers, name)) headers[name] = value
      else if (name === 'content-length' || name === 'transfer-encoding') throw new MalformedResponse('BAD_RESPONSE')
      else headers[name] += `, ${value}`
    }
    if (status < '200') {
      if (++this.#interim > maxInterim) throw new MalformedResponse('RESPONSE_TOO_LARGE')
      if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
        throw new MalformedResponse('BAD_RESPONSE')
      return end + 4
    }
    this.status = Number(status)
    this.headers = headers
    if (minor === '0' || closeOption.test(headers.connection ?? '')) this.mayReuse = false
    this.#chooseBody(headers, minor === '0')
    return end + 4
  }

  #chooseBody({ 'content-length': length, 'transfer-encoding': coding }: HttpResponse['headers'], isOld: boolean) {
    if (coding !== undefined && (isOld || length !== undefined || coding.toLowerCase() !== 'chunked'))
      throw new MalformedResponse('BAD_RESPONSE')
    if (length !== undefined && !lengthText.test(length)) throw new MalformedResponse('BAD_RESPONSE')
    this.#remaining = Number(length ?? 0)
    if (this.#isHead || this.status === 204 || this.status === 304) this.#state = 'done'
    else if (coding !== undefined) this.#state = 'size'
    else if (length !== undefined) this.#state = this.#remaining > 0 ? 'length' : 'done'
    else {
      this.#state = 'untilClose'
      this.mayReuse = false
    }
  }

  #keep(bytes: Buffer, from: number, to: number): void {
    const room = this.#maxKeptBytes - this.#keptBytes
    if (room > 0) {
      // a copy: the socket's memory block is larger and may be reused
      const kept = Buffer.from(bytes.subarray(from, Math.min(to, from + room)))
      this.#kept.push(kept)
      this.#keptBytes += kept.length
    }
    this.readBytes += to - from
  }

  #counted(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#remaining)
    this.#keep(bytes, at, end)
    this.#remaining -= end - at
    if (this.#remaining === 0) this.#state = this.#state === 'chunk' ? 'chunkEnd' : 'done'
    return end
  }

  /** The line of a chunk size, or a trailer. */
  #line(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(lineEnd, at)
    const length = (end < 0 ? bytes.length : end) - at
    if (this.#extraBytes + length > maxHeadBytes) throw new MalformedResponse('RESPONSE_TOO_LARGE')
    if (end < 0) return -1
    const line = bytes.toString('latin1', at, end)
    if (this.#state === 'size') {
      const size = chunkLine.exec(line)?.[1]
      if (size === undefined) throw new MalformedResponse('BAD_RESPONSE')
      this.#extraBytes += length - size.length
      this.#remaining = Number.parseInt(size, 16)
      this.#state = this.#remaining > 0 ? 'chunk' : 'trailer'
    } else if (line === '') this.#state = 'done'
    else {
      readField(line)
      this.#extraBytes += length + 2
    }
    return end + 2
  }
}
