import type { TSchema } from '#contract/schema.ts'
import { type Got, insist, type MockVendor, type Reply } from './vendor.ts'

/** A further endpoint of a vendor. */
type Endpoint = {
  method: string
  path: RegExp
  /** The schemas of its whole body, and of its query. */
  json?: TSchema
  query?: TSchema
  good: Reply
}

/** The mock vendor with a further endpoint, with the same key and failures. */
export function withEndpoint(vendor: MockVendor, { method, path, json, query, good }: Endpoint): MockVendor {
  const isHere = (got: Got) => got.method === method && path.test(got.path)
  const insistJson = json ? insist(json) : () => []
  const insistQuery = query ? insist(query) : () => []
  return {
    ...vendor,
    check(got, now) {
      const checked = vendor.check(got, now)
      return isHere(got) ? { ...checked, payload: [...insistJson(got.json), ...insistQuery(got.query)] } : checked
    },
    good: (got) => (isHere(got) ? good : vendor.good(got)),
  }
}
