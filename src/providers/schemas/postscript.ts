import type { Skip } from '#provider/form/request.ts'
import type { RequestSteps } from '#provider/form/steps.ts'

export const api = 'https://api.postscript.io/api/v2'

type Contact = { email?: string | undefined; phone?: string | undefined }
type Update = { headers: Readonly<Record<string, string | undefined>>; properties: object | undefined }

/**
 * Finds the subscriber, then changes the properties:
 * https://developers.postscript.io/reference/update-subscriber-by-id. Who is no subscriber is not made one.
 */
export function subscriberUpdate({ email, phone }: Contact, { headers, properties }: Update): RequestSteps | Skip {
  if (!properties) return { skipped: 'filtered' }
  const query = phone ? { phone_number__eq: phone } : { email__eq: email }
  return {
    next(results) {
      if (results.length === 0) return { url: `${api}/subscribers`, query, headers, resultPath: 'subscribers.0.id' }
      if (results.length > 1) return undefined
      const [id] = results
      if (id === undefined) return { skipped: 'identityMissing' }
      return { method: 'PATCH', url: `${api}/subscribers/${encodeURIComponent(id)}`, headers, json: { properties } }
    },
  }
}
