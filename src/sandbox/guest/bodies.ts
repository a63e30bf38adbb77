import type { Host, Web } from './host.ts'

/** `Request` and `Response`. A body is a text: bytes are read as UTF-8. */
export function bodies(_: Host, web: Web) {
  const isBytes = (body: unknown) => body instanceof ArrayBuffer || ArrayBuffer.isView(body)
  const textOf = (body: unknown): string | null => {
    if (body === undefined || body === null) return null
    return isBytes(body) ? new web.TextDecoder().decode(body) : `${body}`
  }
  const typeOf = (body: unknown) => {
    if (body instanceof web.URLSearchParams) return 'application/x-www-form-urlencoded;charset=UTF-8'
    return typeof body === 'string' ? 'text/plain;charset=UTF-8' : undefined
  }
  class Body {
    readonly headers: Web
    #text: string | null
    #isUsed = false
    constructor(body: unknown, headers: unknown) {
      this.headers = new web.Headers(headers)
      this.#text = textOf(body)
      const type = typeOf(body)
      if (type && !this.headers.has('content-type')) this.headers.set('content-type', type)
    }
    get bodyUsed() {
      return this.#isUsed
    }
    async text(): Promise<string> {
      if (this.#isUsed) throw new TypeError('The body has been read already')
      this.#isUsed = this.#text !== null
      return this.#text ?? ''
    }
    async json() {
      return JSON.parse(await this.text())
    }
    async bytes() {
      return new web.TextEncoder().encode(await this.text())
    }
    async arrayBuffer() {
      return (await this.bytes()).buffer
    }
    /** The text without counting as read, for whoever hands the whole on. */
    static peek(of: Body) {
      return of.#text
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
