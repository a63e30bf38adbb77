import type { GuestGlobals, GuestHost } from './guestHost.ts'

export function searchParams(host: GuestHost, web: GuestGlobals) {
  const pairsOf = (init: unknown): [string, string][] => {
    if (init === undefined || init === null) return []
    if (typeof init !== 'object') return JSON.parse(host.ask('parseQuery', `${init}`))
    const isPairs = typeof (init as Iterable<unknown>)[Symbol.iterator] === 'function'
    const pairs = isPairs ? [...(init as Iterable<[string, string]>)] : Object.entries(init)
    return pairs.map(([name, value]) => [`${name}`, `${value}`])
  }
  web.URLSearchParams = class URLSearchParams {
    #pairs: [string, string][]
    #changed: (() => void) | undefined
    constructor(init?: unknown, changed?: () => void) {
      this.#pairs = pairsOf(init)
      this.#changed = changed
    }
    #keep(pairs: [string, string][]) {
      this.#pairs = pairs
      this.#changed?.()
    }
    get size() {
      return this.#pairs.length
    }
    append(name: unknown, value: unknown) {
      this.#keep([...this.#pairs, [`${name}`, `${value}`]])
    }
    set(name: string, value: unknown) {
      const at = this.#pairs.findIndex(([each]) => each === name)
      if (at < 0) return this.append(name, value)
      const others = this.#pairs.filter(([each], n) => each !== name || n === at)
      this.#keep(others.map(([each, old]) => [each, each === name ? `${value}` : old]))
    }
    delete(name: string) {
      this.#keep(this.#pairs.filter(([each]) => each !== name))
    }
    get = (name: string) => this.#pairs.find(([each]) => each === name)?.[1] ?? null
    getAll = (name: string) => this.#pairs.filter(([each]) => each === name).map(([, value]) => value)
    has = (name: string) => this.#pairs.some(([each]) => each === name)
    sort() {
      this.#keep(this.#pairs.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))))
    }
    forEach(each: (value: string, name: string, params: unknown) => void) {
      for (const [name, value] of this.#pairs) each(value, name, this)
    }
    entries = () => this.#pairs.map(([name, value]) => [name, value]).values()
    keys = () => this.#pairs.map(([name]) => name).values()
    values = () => this.#pairs.map(([, value]) => value).values()
    toString() {
      return host.ask('writeQuery', JSON.stringify(this.#pairs))
    }
    [Symbol.iterator]() {
      return this.entries()
    }
  }
}

export function url(host: GuestHost, web: GuestGlobals) {
  const parse = (text: unknown, base?: unknown) =>
    JSON.parse(base === undefined ? host.ask('parseUrl', `${text}`) : host.ask('parseUrl', `${text}`, `${base}`))
  class URL {
    #parts: Record<string, string>
    #query: unknown
    constructor(text: unknown, base?: unknown) {
      this.#parts = parse(text, base)
    }
    static canParse(text: unknown, base?: unknown) {
      return URL.parse(text, base) !== null
    }
    static parse(text: unknown, base?: unknown) {
      try {
        return new URL(text, base)
      } catch {
        return null
      }
    }
    static part(of: URL, member: string) {
      return of.#parts[member]
    }
    static change(of: URL, member: string, value: unknown) {
      of.#parts = JSON.parse(host.ask('setUrl', of.#parts.href!, member, `${value}`))
      if (member === 'search' || member === 'href') of.#query = undefined
    }
    get searchParams() {
      const changed = () => {
        this.#parts = JSON.parse(host.ask('setUrl', this.#parts.href!, 'search', `${this.#query}`))
      }
      this.#query ??= new web.URLSearchParams(this.#parts.search, changed)
      return this.#query
    }
    toString() {
      return this.#parts.href
    }
    toJSON() {
      return this.#parts.href
    }
  }
  for (const member of 'href protocol username password host hostname port pathname search hash'.split(' '))
    Object.defineProperty(URL.prototype, member, {
      get(this: URL) {
        return URL.part(this, member)
      },
      set(this: URL, value: unknown) {
        URL.change(this, member, value)
      },
    })
  Object.defineProperty(URL.prototype, 'origin', {
    get(this: URL) {
      return URL.part(this, 'origin')
    },
  })
  web.URL = URL
}
