import type { PartialFailure } from '#provider/form/batch.ts'
import { mappedIdCheck } from '#provider/form/eventMapping.ts'
import type { CapturedValues, RequestSpec } from '#provider/form/request.ts'

/** The `check` of a version of the API. */
export const monthCheck = (version: string) =>
  /^20\d\d(?:0[1-9]|1[0-2])$/.test(version) ? undefined : 'Write year and month: 202608.'

/** The `check` of a map of events to conversion rules. */
export const ruleCheck = mappedIdCheck(/^\d{1,19}$/, 'Write the number of a conversion rule for each event.')

type Ids = { SHA256_EMAIL?: string; PLAINTEXT_IP_ADDRESS?: string }

/** The ids of a person, the e-mail first. */
export function userIdsOf({ SHA256_EMAIL, PLAINTEXT_IP_ADDRESS }: Ids, { li_fat_id }: CapturedValues) {
  const ids = { SHA256_EMAIL, LINKEDIN_FIRST_PARTY_ADS_TRACKING_UUID: li_fat_id?.value, PLAINTEXT_IP_ADDRESS }
  return Object.entries(ids).flatMap(([idType, idValue]) => (idValue ? [{ idType, idValue }] : []))
}

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
