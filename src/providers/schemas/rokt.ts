import type { RequestSpec } from '#provider/form/request.ts'

/** https://docs.mparticle.com/developers/apis/http/: a pod has a host of its own. */
export const hosts = {
  default: 'inbound.mparticle.com',
  us1: 's2s.us1.mparticle.com',
  us2: 's2s.us2.mparticle.com',
  eu1: 's2s.eu1.mparticle.com',
  au1: 's2s.au1.mparticle.com',
} as const

/** Several objects are a list, sent to another path. */
export const joinObjects = (requests: readonly RequestSpec[]): RequestSpec => ({
  ...requests[0]!,
  url: requests[0]!.url.replace(/events$/, 'bulkevents'),
  json: requests.map(({ json }) => json),
})

/** The same request for the development environment. */
export const inDevelopment = (request: RequestSpec): RequestSpec => ({
  ...request,
  json: { ...(request.json as object), environment: 'development' },
})
