import type { BatchLimits, PartialFailure } from '#provider/form/batch.ts'
import { uuid5 } from '#provider/form/ids.ts'
import type { RequestSpec } from '#provider/form/request.ts'
import { shape } from '#provider/form/valueChecks.ts'
import { checkbox, choice, optional, text } from '#provider/form/variables.ts'

const sizes = shape(/^([1-9]\d?|[1-4]\d\d|500)$/, 'Write a number from 1 to 500.')
const waits = shape(/^(\d|[1-5]\d|60)$/, 'Write a number of seconds from 0 to 60.')

/** The variables of a script that can send several events in one request. */
export const listVariables = {
  EVENT_SINK_FORMAT: choice(
    'Body',
    'object: one event in each request. array: a JSON array of events. ndjson: one event in each line.',
    ['object', 'array', 'ndjson'],
  ),
  EVENT_SINK_BATCH_SIZE: text('Events in a request', 'With array or ndjson: at most this many, 1 to 500.', {
    optional: true,
    default: '100',
    usedBy: 'batch',
    check: sizes,
  }),
  EVENT_SINK_BATCH_SECONDS: text(
    'Seconds to wait',
    'With array or ndjson: how long the first event of a request waits for others, 0 to 60.',
    { optional: true, default: '1', usedBy: 'batch', check: waits },
  ),
  EVENT_SINK_GZIP: checkbox('Compress', 'The body is sent with Content-Encoding: gzip.', optional),
}

type ListSecrets = { EVENT_SINK_FORMAT: string; EVENT_SINK_GZIP?: string }

/** The body of one event in the format of the script. */
export function bodyOf(
  message: object,
  { EVENT_SINK_FORMAT: format, EVENT_SINK_GZIP: gzip }: ListSecrets,
): Pick<RequestSpec, 'json' | 'ndjson' | 'gzip'> {
  const body = format === 'ndjson' ? { ndjson: [message] } : { json: format === 'array' ? [message] : message }
  return gzip === '1' ? { ...body, gzip: true } : body
}

/** Requests whose body is a list can be joined. A request with a single object is sent alone. */
export function listKey({ json, ndjson }: RequestSpec): string | undefined {
  if (ndjson) return 'ndjson'
  return Array.isArray(json) ? 'array' : undefined
}

/**
 * Joins requests into one, with the events in order. The same events always have the same Standard Webhooks id, so that
 * a receiver recognises a repeated request.
 */
export function joinLists(requests: readonly RequestSpec[]): RequestSpec {
  const { json: _, ndjson, sign, ...first } = requests[0]!
  const ids = requests.map((each) => each.sign && 'standardWebhooks' in each.sign && each.sign.id)
  return {
    ...first,
    ...(ndjson
      ? { ndjson: requests.flatMap((each) => each.ndjson ?? []) }
      : { json: requests.flatMap((each) => each.json ?? []) }),
    ...(sign && 'standardWebhooks' in sign && { sign: { ...sign, id: uuid5(JSON.stringify(ids)) } }),
  }
}

/** The limits of one call of a script. The secrets have their defaults. */
export function limitsOf(secrets: Readonly<Record<string, string | undefined>>): BatchLimits {
  const { EVENT_SINK_FORMAT: format, EVENT_SINK_BATCH_SIZE: size, EVENT_SINK_BATCH_SECONDS: seconds } = secrets
  const isList = format === 'array' || format === 'ndjson'
  return isList ? { maxEvents: Number(size), waitMs: Number(seconds) * 1_000 } : { maxEvents: 1, waitMs: 0 }
}

/** Whether a body is a list, even with a single event: NDJSON ends with a line feed. */
export const isList = (body: string): boolean => body.startsWith('[') || body.endsWith('\n')

type FailedRow = { index: number; message?: string; retry?: boolean }

/**
 * Reads the response to a list: `{"failed": [{"index": 3, "message": "unknown item", "retry": false}]}`. All other
 * events were accepted.
 */
export function failedRows(answer: unknown): PartialFailure[] {
  const { failed } = answer as { failed?: readonly FailedRow[] }
  return (failed ?? []).map(({ index, message, retry }) => ({
    row: index,
    verdict: retry === true ? 'retry' : 'refused',
    message,
  }))
}
