import type { Host, Web } from './host.ts'

/** `Request` and `Response`. A body is a text, or bytes as latin1 that become a text when they are read as one. */
export function bodies(_: Host, web: Web) {
  type Held = { body: string } | { latin1: string } | null
  const heldOf = (body: unknown): Held => {
    if (body === undefined || body === null) return null
    const isBytes = body instanceof ArrayBuffer || ArrayBuffer.isView(body)
    return isBytes ? { latin1: web.latin1Of(body) } : { body: `${body}` }
  }
  const form = 'application/x-www-form-urlencoded;charset=UTF-8'
  const typeOf = (body: unknown) =>
    body instanceof web.URLSearchParams ? form : typeof body === 'string' ? 'text/plain;charset=UTF-8' : undefined
  const read = (held: Held): string | null =>
    held && 'latin1' in held ? new web.TextDecoder().decode(web.bytesOf(held.latin1)) : (held?.body ?? null)
  class Body {
    readonly headers: Web
    #held: Held
    #isUsed = false
    constructor(body: unknown, headers: unknown) {
      this.headers = new web.Headers(headers)
      this.#held = heldOf(body)
      const type = typeOf(body)
      if (type && !this.headers.has('content-type')) this.headers.set('content-type', type)
    }
    get bodyUsed() {
      return this.#isUsed
    }
    #use(): Held {
      if (this.#isUsed) throw new TypeError('The body has been read already')
      this.#isUsed = this.#held !== null
      return this.#held
    }
    async text(): Promise<string> {
      return read(this.#use()) ?? ''
    }
    async json() {
      return JSON.parse(await this.text())
    }
    async bytes() {
      const held = this.#use()
      if (held && 'latin1' in held) return web.bytesOf(held.latin1)
      return new web.TextEncoder().encode(held?.body ?? '')
    }
    async arrayBuffer() {
      return (await this.bytes()).buffer
    }
    /** What the constructor was given, or the same; without counting as read, for whoever hands the whole on. */
    static peek(of: Body) {
      const held = of.#held
      return held && 'latin1' in held ? web.bytesOf(held.latin1) : (held?.body ?? null)
    }
    /** The same as a text. */
    static textOf(of: Body) {
      return read(of.#held)
    }
    /** As it leaves the isolate: `{body}` or `{latin1}`. */
    static wire(of: Body) {
      return of.#held ?? { body: '' }
    }
  }
  web.Body = Body
}

export function request(_: Host, web: Web) {
  web.Request = class Request extends web.Body {
    readonly url: string
    readonly method: string
    constructor(input: unknown, init: { method?: unknown; headers?: unknown; body?: unknown } = {}) {
      const from = input instanceof Request ? input : undefined
      const body = init.body ?? (from && web.Body.peek(from)) ?? null
      const method = `${init.method ?? from?.method ?? 'GET'}`.toUpperCase()
      if (body !== null && /^(GET|HEAD)$/.test(method)) throw new TypeError(`A ${method} has no body`)
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

export function response(_: Host, web: Web) {
  web.Response = class Response extends web.Body {
    readonly status: number
    readonly statusText: string
    constructor(body: unknown = null, init: { status?: unknown; statusText?: unknown; headers?: unknown } = {}) {
      super(body, init.headers)
      this.status = Number(init.status ?? 200)
      if (!Number.isInteger(this.status) || this.status < 200 || this.status > 599)
        throw new RangeError('A status is a whole number from 200 to 599')
      if (body !== null && [204, 205, 304].includes(this.status)) throw new TypeError(`${this.status} has no body`)
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
