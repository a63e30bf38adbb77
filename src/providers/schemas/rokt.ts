import type { RequestSpec } from '#provider/form/request.ts'

/** Several objects are a list, sent to another path. */
export const joinObjects = (requests: readonly RequestSpec[]): RequestSpec => ({
  ...requests[0]!,
  url: 'https://inbound.mparticle.com/s2s/v2/bulkevents',
  json: requests.map(({ json }) => json),
})

/** The same request for the development environment. */
export const inDevelopment = (request: RequestSpec): RequestSpec => ({
  ...request,
  json: { ...(request.json as object), environment: 'development' },
})
