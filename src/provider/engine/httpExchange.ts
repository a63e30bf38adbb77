import type { Dispatcher } from 'undici'

export type HttpResponse = { status: number; headers: Record<string, string>; body: string }
/**
 * The limits of an HTTP exchange. `totalMs`: for the whole exchange, including the connection. Reading stops after `readBytes`; the first `keptBytes` are
 * returned.
 */
export type ExchangeLimits = { totalMs: number; readBytes: number; keptBytes: number }

/** No complete response within `totalMs`. */
export class ExchangeTimeout extends Error {}
class BodyLimitReached extends Error {}

function flat(headers: Record<string, string | string[] | undefined>): HttpResponse['headers'] {
  const texts: HttpResponse['headers'] = {}
  for (const name in headers) {
    const value = headers[name] ?? ''
    texts[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return texts
}

/**
 * Sends a request and reads its response through undici's dispatch handler: the stream and the abort signal of
 * `request` cost more than the rest of a delivery for short responses. Rejects with the errors of undici and with
 * ExchangeTimeout.
 */
export function httpExchange(
  agent: Dispatcher,
  options: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>()
  let over: Error | undefined
  let stop: ((why: Error) => void) | undefined
  const timer = setTimeout(() => end(new ExchangeTimeout()), limits.totalMs)
  const head: HttpResponse = { status: 0, headers: {}, body: '' }
  const chunks: Buffer[] = []
  let read = 0

  const settle = () => {
    clearTimeout(timer)
    resolve({ ...head, body: Buffer.concat(chunks).toString() })
  }
  const end = (why: Error) => {
    over ??= why
    clearTimeout(timer)
    reject(why)
    stop?.(why)
  }
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(controller) {
      stop = (why) => controller.abort(why)
      if (over) stop(over)
    },
    onResponseStart(_, status, headers) {
      if (status < 200) return
      head.status = status
      head.headers = flat(headers)
    },
    onResponseData(controller, chunk) {
      if (read < limits.keptBytes) chunks.push(chunk.subarray(0, limits.keptBytes - read))
      read += chunk.length
      if (read < limits.readBytes || over) return
      settle()
      over = new BodyLimitReached()
      controller.abort(over)
    },
    onResponseEnd: settle,
    onResponseError: (_, error) => end(error),
  }
  try {
    agent.dispatch(options, handler)
  } catch (error) {
    end(error as Error)
  }
  return promise
}
