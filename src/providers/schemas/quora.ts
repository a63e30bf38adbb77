import type { PartialFailure } from '#provider/form/batch.ts'
import type { RequestSpec } from '#provider/form/request.ts'

/** Several conversions of one account are the `data` of a request to another path. */
export function joinConversions(requests: readonly RequestSpec[]): RequestSpec {
  const bodies = requests.map(({ json }) => json as { account_id: number })
  const data = bodies.map(({ account_id: _, ...conversion }) => conversion)
  return {
    ...requests[0]!,
    url: 'https://api.quora.com/ads/v0/conversions',
    json: { account_id: bodies[0]!.account_id, data },
  }
}

type Row = { index?: number; status?: string; error_code?: string; error_message?: string }

/** The events of a 200 whose status is not OK. */
export function failedEvents(answer: unknown): PartialFailure[] {
  const { events } = (answer ?? {}) as { events?: Row[] }
  if (!Array.isArray(events)) return []
  return events.flatMap(({ index, status, error_code, error_message }, at) =>
    status === 'OK' ? [] : [{ row: index ?? at, verdict: 'refused' as const, message: error_message ?? error_code }],
  )
}
