import type { GuestGlobals, GuestHost } from './guestHost.ts'

export function headers(_: GuestHost, web: GuestGlobals) {
  const validName = /^[\w!#$%&'*+.^`|~-]+$/
  const nameOf = (name: unknown) => {
    if (!validName.test(`${name}`)) throw new TypeError(`${name} is not a header name`)
    return `${name}`.toLowerCase()
  }
  const isSpace = (char: string | undefined) => char === ' ' || char === '\t' || char === '\n' || char === '\r'
  const lineOf = (value: unknown) => {
    const whole = `${value}`
    let [from, to] = [0, whole.length]
    while (from < to && isSpace(whole[from])) from++
    while (to > from && isSpace(whole[to - 1])) to--
    const text = whole.slice(from, to)
    if (/[\0\r\n]/.test(text)) throw new TypeError('A header value must be one line')
    return text
  }
  web.Headers = class Headers {
    #values = new Map<string, string[]>()
    constructor(init?: unknown) {
      if (init === undefined || init === null) return
      const isPairs = typeof (init as Iterable<unknown>)[Symbol.iterator] === 'function'
      for (const [name, value] of isPairs ? (init as Iterable<[string, string]>) : Object.entries(init))
        this.append(name, value)
    }
    append(name: unknown, value: unknown) {
      this.#values.set(nameOf(name), [...(this.#values.get(nameOf(name)) ?? []), lineOf(value)])
    }
    set(name: unknown, value: unknown) {
      this.#values.set(nameOf(name), [lineOf(value)])
    }
    delete(name: unknown) {
      this.#values.delete(nameOf(name))
    }
    get(name: unknown) {
      return this.#values.get(nameOf(name))?.join(', ') ?? null
    }
    getSetCookie() {
      return [...(this.#values.get('set-cookie') ?? [])]
    }
    has(name: unknown) {
      return this.#values.has(nameOf(name))
    }
    forEach(each: (value: string, name: string, headers: unknown) => void, self?: unknown) {
      for (const [name, value] of this) each.call(self, value, name, this)
    }
    *entries(): Generator<[string, string]> {
      for (const name of [...this.#values.keys()].sort()) yield [name, this.#values.get(name)!.join(', ')]
    }
    *keys() {
      for (const [name] of this) yield name
    }
    *values() {
      for (const [, value] of this) yield value
    }
    [Symbol.iterator]() {
      return this.entries()
    }
  }
}
