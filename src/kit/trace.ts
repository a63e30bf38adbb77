import { setTimeout } from 'node:timers/promises'
import { type Attributes, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'

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

function endWith(span: Span, problem: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message: problem instanceof Error ? problem.name : 'failed' })
  span.end()
}

/**
 * Runs `work` inside a span, or without one while traces are off. Attributes must not hold secrets or personal data.
 */
export function traced<Result>(name: string, attributes: Attributes, work: () => Result): Result {
  if (!tracer) return work()
  return tracer.startActiveSpan(name, { attributes }, (span) => {
    try {
      const result = work()
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
