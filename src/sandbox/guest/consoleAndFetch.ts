import type { GuestGlobals, GuestHost } from './guestHost.ts'

/** `console` and `fetch`. */
export function consoleAndFetch(host: GuestHost, web: GuestGlobals) {
  const format = (value: unknown) => {
    if (typeof value === 'string') return value
    if (value instanceof Error) return value.stack ?? `${value}`
    try {
      return JSON.stringify(value) ?? String(value)
    } catch {
      return String(value)
    }
  }
  const logger =
    (level: 'log' | 'error') =>
    (...values: unknown[]) =>
      host.log(level, values.map(format).join(' '))
  const log = logger('log')
  const error = logger('error')
  web.console = { log, info: log, debug: log, warn: error, error }
  web.logger = { log, error }
  web.fetch = async (input: unknown, init?: { redirect?: unknown }) => {
    const request = new web.Request(input, init)
    const { url, method } = request
    const wire = { url, method, headers: [...request.headers], body: web.Body.textOf(request) }
    const fetched = (await host.call('fetch', [{ ...wire, redirect: `${init?.redirect ?? 'follow'}` }])) as {
      url: string
      status: number
      headers: Record<string, string>
      body: string
    }
    const hasBody = ![204, 205, 304].includes(fetched.status)
    const response = new web.Response(hasBody ? fetched.body : null, fetched)
    Object.defineProperty(response, 'url', { value: fetched.url })
    return response
  }
}
