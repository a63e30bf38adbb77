import type { PartialFailure } from '#provider/form/batch.ts'
import type { RequestSpec } from '#provider/form/request.ts'

/** Several events are the `elements` of one request, which a header marks. */
export const joinElements = (requests: readonly RequestSpec[]): RequestSpec => ({
  ...requests[0]!,
  headers: { ...requests[0]!.headers, 'x-restli-method': 'BATCH_CREATE' },
  json: { elements: requests.map(({ json }) => json) },
})

type Element = { status?: number; error?: { message?: string } }

/** The elements of a 200 whose own status is an error, in the order of the request. */
export function failedElements(answer: unknown): PartialFailure[] {
  const { elements } = (answer ?? {}) as { elements?: Element[] }
  if (!Array.isArray(elements)) return []
  return elements.flatMap(({ status = 201, error }, row) => {
    if (status < 300) return []
    const isTransient = status === 429 || status === 423 || status === 408 || status >= 500
    return [{ row, verdict: isTransient ? ('retry' as const) : ('refused' as const), message: error?.message }]
  })
}
