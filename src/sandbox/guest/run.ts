import type { Host, Web } from './host.ts'

/** Gives the customer's code what it may use, and takes away what it may not. */
export function furnish(_: Host, web: Web) {
  const names = 'Headers Request Response URL URLSearchParams TextEncoder TextDecoder atob btoa crypto console fetch'
  for (const name of names.split(' '))
    Object.defineProperty(globalThis, name, { value: web[name], writable: true, configurable: true })
  for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics']) Reflect.deleteProperty(globalThis, name)
}

/** Gives the function that runs the customer's; what it resolves with is JSON: `{result}` or `{error}`. */
export function runner(host: Host, web: Web) {
  const { parse, stringify } = JSON
  const told = (error: unknown) => {
    const { name, message, stack } = (Object(error) === error ? error : {}) as Partial<Error>
    const cut = (text: unknown, usual: string) => `${text ?? usual}`.slice(0, 4096)
    return { name: cut(name, 'Error'), message: cut(message, `${String(error)}`), stack: cut(stack, '') }
  }
  const shapes = {
    value: (given: unknown) => given ?? null,
    response: (given: unknown) => {
      if (!(given instanceof web.Response)) throw new TypeError('The function must return a Response')
      const { status, headers } = given as { status: number; headers: Iterable<[string, string]> }
      return { status, headers: [...headers], ...web.Body.wire(given) }
    },
  }
  const requestOf = ({ latin1, ...init }: { url: string; latin1?: string; body?: unknown }) =>
    new web.Request(init.url, latin1 === undefined ? init : { ...init, body: web.bytesOf(latin1) })
  web.runner = (main: unknown, name: string) => async (shape: 'value' | 'response', calls: string, params: string) => {
    try {
      if (typeof main !== 'function') throw new TypeError(`The code does not define a function ${name}`)
      const given = parse(params)
      if (given.request) given.request = requestOf(given.request)
      for (const call of parse(calls)) given[call] = (...args: unknown[]) => host.call(call, args)
      if (shape === 'response')
        given.writeError = (category: unknown, error: unknown) => web.logger.error(`${category}:`, error)
      const result = await main({ ...given, logger: web.logger, fetch: web.fetch })
      return stringify({ result: stringify(shapes[shape](result)) })
    } catch (error) {
      return stringify({ error: told(error) })
    }
  }
}
