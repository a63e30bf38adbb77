import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import {
  type Attributes,
  context,
  isSpanContextValid,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'

let tracer: Tracer | undefined

type Env = Readonly<Record<string, string | undefined>>

/** Whether the standard environment variables enable traces. */
function isEnabled(env: Env): boolean {
  if (env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return false
  return Boolean(env.OTEL_TRACES_EXPORTER || env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
}

/**
 * Starts OpenTelemetry traces if its standard variables enable them; otherwise the SDK is not loaded.
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export async function startTraces(env: Env): Promise<{ close(): Promise<void> }> {
  if (!isEnabled(env)) return { close: async () => {} }
  const { NodeSDK } = await import('@opentelemetry/sdk-node')
  const sdk = new NodeSDK({
    ...(!env.OTEL_SERVICE_NAME && { serviceName: 'aglet' }),
    metricReaders: [],
    logRecordProcessors: [],
    instrumentations: [],
  })
  sdk.start()
  tracer = trace.getTracer('aglet')
  return {
    async close() {
      tracer = undefined
      // An unreachable collector must neither fail nor delay the stop of the server.
      await Promise.race([sdk.shutdown().catch(() => {}), setTimeout(3_000, undefined, { ref: false })])
    },
  }
}

/** Whether traces are on. Callers ask before they build attributes, so that traces cost nothing while they are off. */
export const isTracing = () => tracer !== undefined

/** A refused request, with a status below 500, is not an error of the server. */
const isRefusal = (problem: unknown) => Number((problem as { status?: unknown } | null)?.status) < 500

function endWith(span: Span, problem: unknown): void {
  const name = problem instanceof Error ? problem.name : 'failed'
  if (!isRefusal(problem))
    span.setStatus({ code: SpanStatusCode.ERROR, message: name }).setAttribute('error.type', name)
  span.end()
}

/** The attributes of a span, without secrets and personal data, its kind, and its links. */
type SpanDetails = Pick<SpanOptions, 'attributes' | 'kind' | 'links'>

/** Runs `work` inside a span, or without one while traces are off. `work` gets the span. */
export function traced<Result>(name: string, details: SpanDetails, work: (span?: Span) => Result): Result {
  if (!tracer) return work()
  return tracer.startActiveSpan(name, details, (span) => {
    try {
      const result = work(span)
      if (!(result instanceof Promise)) {
        span.end()
        return result
      }
      return result.then(
        (value) => {
          span.end()
          return value
        },
        (problem) => {
          endWith(span, problem)
          throw problem
        },
      ) as Result
    } catch (problem) {
      endWith(span, problem)
      throw problem
    }
  })
}

const serverSpan = Symbol('the server span of a request')
type TracedRequest = IncomingMessage & { [serverSpan]?: Span }

/**
 * Handles a request inside a server span by OpenTelemetry's HTTP conventions. The span continues the caller's
 * `traceparent`, and ends with the response. It has no query, which may hold personal data.
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function tracedRequest(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
  if (!tracer) {
    handle()
    return
  }
  const method = request.method ?? '_OTHER'
  const attributes: Attributes = { 'http.request.method': method, 'url.scheme': 'http' }
  if (request.headers.host) attributes['server.address'] = request.headers.host.replace(/:\d*$/, '')
  const parent = propagation.extract(ROOT_CONTEXT, request.headers)
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent)
  ;(request as TracedRequest)[serverSpan] = span
  response.once('close', () => endResponse(span, response))
  context.with(trace.setSpan(parent, span), handle)
}

function endResponse(span: Span, { statusCode }: ServerResponse): void {
  span.setAttribute('http.response.status_code', statusCode)
  if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', `${statusCode}`)
  span.end()
}

/** Names the server span of a request after its route, such as `/v1/tag/:tagId`, which has no ids. */
export function setRoute(request: IncomingMessage, route: string): void {
  const span = (request as TracedRequest)[serverSpan]
  span?.updateName(`${request.method} ${route}`).setAttributes({ 'http.route': route, 'url.path': route })
}

/** The W3C `traceparent` of the current span; undefined if there is no span or it is not sampled. */
export function currentTraceparent(): string | undefined {
  if (!tracer) return undefined
  const current = trace.getActiveSpan()?.spanContext()
  if (!current || !isSpanContextValid(current) || !(current.traceFlags & TraceFlags.SAMPLED)) return undefined
  return `00-${current.traceId}-${current.spanId}-01`
}

/** Links to the spans of these `traceparent` values, for work that other requests have queued. */
export function linksTo(traceparents: readonly (string | undefined)[]): Link[] {
  const unique = new Set(traceparents.filter((each) => each !== undefined))
  return [...unique].flatMap((traceparent) => {
    const found = trace.getSpanContext(propagation.extract(ROOT_CONTEXT, { traceparent }))
    return found ? [{ context: found }] : []
  })
}

type SentRequest = { url: string; method: string; headers: Record<string, string> }
type SentResult = { status: number } | { failed: string }

/**
 * Sends a request inside a client span. `isOwn`: the customer owns the address, so the request carries the
 * `traceparent`; a vendor gets none. The span has no path, which may hold secrets.
 */
export function tracedSend<Request extends SentRequest, Result extends SentResult>(
  request: Request,
  isOwn: boolean,
  send: (request: Request) => Promise<Result>,
): Promise<Result> {
  if (!tracer) return send(request)
  const { method, url } = request
  const { hostname, port, protocol } = new URL(url)
  const address = { 'server.address': hostname, 'server.port': Number(port || (protocol === 'http:' ? 80 : 443)) }
  const attributes = { 'http.request.method': method, ...address }
  return traced(method, { kind: SpanKind.CLIENT, attributes }, async (span) => {
    const traceparent = isOwn ? currentTraceparent() : undefined
    const result = await send(traceparent ? { ...request, headers: { ...request.headers, traceparent } } : request)
    if ('status' in result) span?.setAttribute('http.response.status_code', result.status)
    const problem = 'failed' in result ? result.failed : result.status >= 400 ? `${result.status}` : undefined
    if (problem) span?.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', problem)
    return result
  })
}
