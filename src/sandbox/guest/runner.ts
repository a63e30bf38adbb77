import type { GuestGlobals, GuestHost } from './guestHost.ts'

/** Sets the globals that the customer's code may use, and deletes those that it may not. */
export function installGlobals(_: GuestHost, web: GuestGlobals) {
  const names =
    'Headers Request Response URL URLSearchParams TextEncoder TextDecoder atob btoa crypto CryptoKey DOMException console fetch'
  for (const name of names.split(' '))
    Object.defineProperty(globalThis, name, { value: web[name], writable: true, configurable: true })
  for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics']) Reflect.deleteProperty(globalThis, name)
}

/** Creates the function that runs the customer's function. It resolves with JSON: `{result}` or `{error}`. */
export function createRunner(host: GuestHost, web: GuestGlobals) {
  const { parse, stringify } = JSON
  const serializeError = (error: unknown) => {
    const { name, message, stack } = (Object(error) === error ? error : {}) as Partial<Error>
    const cut = (text: unknown, fallback: string) => `${text ?? fallback}`.slice(0, 4096)
    return { name: cut(name, 'Error'), message: cut(message, `${String(error)}`), stack: cut(stack, '') }
  }
  const serializers = {
    value: (result: unknown) => result ?? null,
    response: (result: unknown) => {
      if (!(result instanceof web.Response)) throw new TypeError('The function must return a Response')
      const { status, headers } = result as { status: number; headers: Iterable<[string, string]> }
      return { status, headers: [...headers], ...web.Body.wire(result) }
    },
  }
  const requestOf = ({ latin1, ...init }: { url: string; latin1?: string; body?: unknown }) =>
    new web.Request(init.url, latin1 === undefined ? init : { ...init, body: web.bytesOf(latin1) })
  // Throws for a missing or empty secret, and names it: with an empty key, the code would accept signatures that anyone
  // can make.
  const requireSecret = (secrets: Record<string, unknown> | undefined, name: unknown) => {
    const secret = secrets && Object.hasOwn(secrets, `${name}`) ? secrets[`${name}`] : undefined
    if (typeof secret !== 'string' || secret === '') throw new Error(`The secret ${name} is not set`)
    return secret
  }
  web.runner =
    (main: unknown, name: string) => async (resultKind: 'value' | 'response', calls: string, params: string) => {
      try {
        if (typeof main !== 'function') throw new TypeError(`The code does not define a function ${name}`)
        const { required, ...functionParams } = parse(params)
        if (functionParams.request) functionParams.request = requestOf(functionParams.request)
        for (const call of parse(calls)) functionParams[call] = (...args: unknown[]) => host.call(call, args)
        if (resultKind === 'response')
          functionParams.writeError = (category: unknown, error: unknown) => web.logger.error(`${category}:`, error)
        functionParams.requireSecret = (name: unknown) =>
          requireSecret({ ...required, ...functionParams.secrets }, name)
        const result = await main({ ...functionParams, logger: web.logger, fetch: web.fetch })
        return stringify({ result: stringify(serializers[resultKind](result)) })
      } catch (error) {
        return stringify({ error: serializeError(error) })
      }
    }
}
