import type { Skip } from '#provider/form/request.ts'
import type { RequestSteps } from '#provider/form/steps.ts'
import type { FlatValue } from '#provider/vendors/eventFields.ts'

export const api = 'https://api.postscript.io/api/v2'

type Contact = { email?: string | undefined; phone?: string | undefined }
type Properties = Readonly<Record<string, FlatValue>>
type Update = { headers: Readonly<Record<string, string | undefined>>; properties: Properties | undefined }

/** A subscriber has at most 50 properties. Their values are texts and integers, and true and false. */
const storable = (properties: Properties) =>
  Object.fromEntries(
    Object.entries(properties)
      .slice(0, 50)
      .map(([name, value]) => [name, typeof value === 'number' && !Number.isInteger(value) ? String(value) : value]),
  )

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
      return {
        method: 'PATCH',
        url: `${api}/subscribers/${encodeURIComponent(id)}`,
        headers,
        json: { properties: storable(properties) },
      }
    },
  }
}
