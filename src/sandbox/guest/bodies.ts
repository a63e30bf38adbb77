import type { GuestGlobals, GuestHost } from './guestHost.ts'

/** `Request` and `Response`. A body is a text, or bytes as latin1, which are decoded when read as text. */
export function bodies(_: GuestHost, web: GuestGlobals) {
  type BodyContent = { body: string } | { latin1: string } | null
  const toContent = (body: unknown): BodyContent => {
    if (body === undefined || body === null) return null
    const isBytes = body instanceof ArrayBuffer || ArrayBuffer.isView(body)
    return isBytes ? { latin1: web.latin1Of(body) } : { body: `${body}` }
  }
  const form = 'application/x-www-form-urlencoded;charset=UTF-8'
  const typeOf = (body: unknown) =>
    body instanceof web.URLSearchParams ? form : typeof body === 'string' ? 'text/plain;charset=UTF-8' : undefined
  const read = (content: BodyContent): string | null =>
    content && 'latin1' in content ? new web.TextDecoder().decode(web.bytesOf(content.latin1)) : (content?.body ?? null)
  class Body {
    readonly headers: GuestGlobals
    #content: BodyContent
    #isUsed = false
    constructor(body: unknown, headers: unknown) {
      this.headers = new web.Headers(headers)
      this.#content = toContent(body)
      const type = typeOf(body)
      if (type && !this.headers.has('content-type')) this.headers.set('content-type', type)
    }
    get bodyUsed() {
      return this.#isUsed
    }
    #use(): BodyContent {
      if (this.#isUsed) throw new TypeError('The body has already been read')
      this.#isUsed = this.#content !== null
      return this.#content
    }
    async text(): Promise<string> {
      return read(this.#use()) ?? ''
    }
    async json() {
      return JSON.parse(await this.text())
    }
    async bytes() {
      const content = this.#use()
      if (content && 'latin1' in content) return web.bytesOf(content.latin1)
      return new web.TextEncoder().encode(content?.body ?? '')
    }
    async arrayBuffer() {
      return (await this.bytes()).buffer
    }
    /** The content of a body without marking it as read, for copying a Request or Response. */
    static peek(body: Body) {
      const content = body.#content
      return content && 'latin1' in content ? web.bytesOf(content.latin1) : (content?.body ?? null)
    }
    /** The content of a body as text, without marking it as read. */
    static textOf(body: Body) {
      return read(body.#content)
    }
    /** The content of a body as it leaves the isolate: `{body}` or `{latin1}`. */
    static wire(body: Body) {
      return body.#content ?? { body: '' }
    }
  }
  web.Body = Body
}

export function request(_: GuestHost, web: GuestGlobals) {
  web.Request = class Request extends web.Body {
    readonly url: string
    readonly method: string
    constructor(input: unknown, init: { method?: unknown; headers?: unknown; body?: unknown } = {}) {
      const from = input instanceof Request ? input : undefined
      const body = init.body ?? (from && web.Body.peek(from)) ?? null
      const method = `${init.method ?? from?.method ?? 'GET'}`.toUpperCase()
      if (body !== null && /^(GET|HEAD)$/.test(method)) throw new TypeError(`A ${method} request cannot have a body`)
      if (!/^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method)) throw new TypeError(`${method} is not allowed`)
      super(body, init.headers ?? from?.headers)
      this.url = new web.URL(from ? from.url : `${input}`).href
      this.method = method
    }
    clone() {
      return new Request(this)
    }
  }
}

export function response(_: GuestHost, web: GuestGlobals) {
  web.Response = class Response extends web.Body {
    readonly status: number
    readonly statusText: string
    constructor(body: unknown = null, init: { status?: unknown; statusText?: unknown; headers?: unknown } = {}) {
      super(body, init.headers)
      this.status = Number(init.status ?? 200)
      if (!Number.isInteger(this.status) || this.status < 200 || this.status > 599)
        throw new RangeError('The status must be an integer from 200 to 599')
      if (body !== null && [204, 205, 304].includes(this.status))
        throw new TypeError(`A response with status ${this.status} cannot have a body`)
      this.statusText = `${init.statusText ?? ''}`
    }
    get ok() {
      return this.status < 300
    }
    clone() {
      return new Response(web.Body.peek(this), this)
    }
    static json(value: unknown, init: { status?: unknown; headers?: unknown } = {}) {
      const made = new Response(JSON.stringify(value), init)
      if (!new web.Headers(init.headers).has('content-type')) made.headers.set('content-type', 'application/json')
      return made
    }
    static redirect(url: unknown, status = 302) {
      return new Response(null, { status, headers: { location: `${url}` } })
    }
  }
}
