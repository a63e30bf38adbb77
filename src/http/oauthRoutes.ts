import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import { type OAuthAddresses, oauthPaths, serverMetadata, serverMetadataPaths } from '#account/oauthAddresses.ts'
import { Fault } from '#contract/fault.ts'
import type { CountCall } from './rateLimit.ts'
import { singleCookies } from './sessionCookie.ts'

/**
 * The library builds URLs from the request's host and protocol, so they are set to the origin, and the forwarded address
 * to the caller's. The library would use the first of two cookies with the same name.
 */
function setForwardedHeaders(origin: string, { ip, raw: { headers } }: FastifyRequest): void {
  const { host, protocol } = new URL(origin)
  headers.host = host
  headers['x-forwarded-host'] = host
  headers['x-forwarded-proto'] = protocol.slice(0, -1)
  headers['x-forwarded-for'] = ip
  if (headers.cookie) headers.cookie = singleCookies(headers).join('; ')
}

/** Loads the authorization server on first use, because the library takes 46 MB and many servers never use OAuth. */
export type OAuthProviderLoader = () => Promise<Provider>

/** Counts a call. A POST above the limit gets an OAuth error (RFC 6749, 5.2), which OAuth clients understand. */
async function countOAuthCall(count: CountCall, request: FastifyRequest, reply: FastifyReply) {
  try {
    await count(request, reply)
  } catch (problem) {
    if (request.method !== 'POST' || !(problem instanceof Fault)) throw problem
    const body = { error: 'temporarily_unavailable', error_description: problem.message }
    return reply.code(problem.status).headers(problem.headers).header('cache-control', 'no-store').send(body)
  }
  return undefined
}

/** The OAuth endpoints, handled by the library. `app` has the environment's base path as its prefix. */
export function oauthRoutes(
  app: FastifyInstance,
  { origin, provider, count }: { origin: string; provider: OAuthProviderLoader; count: CountCall },
): void {
  let callback: Promise<ReturnType<Provider['callback']>> | undefined
  // The library reads bodies itself, with a limit of 56 KiB.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.addHook('onRequest', (request, reply) => countOAuthCall(count, request, reply))
  const handleByLibrary = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack()
    setForwardedHeaders(origin, request)
    callback ??= provider().then((opened) => opened.callback())
    const answer = await callback
    await answer(request.raw, reply.raw)
  }
  app.get(oauthPaths.authorization, { exposeHeadRoute: false }, handleByLibrary)
  app.get(`${oauthPaths.authorization}/:uid`, { exposeHeadRoute: false }, handleByLibrary)
  /** The library only handles OPTIONS as a CORS preflight. */
  const answerOptions = async (request: FastifyRequest, reply: FastifyReply) =>
    'access-control-request-method' in request.headers
      ? handleByLibrary(request, reply)
      : reply.code(204).header('allow', 'OPTIONS, POST').send()
  for (const url of [oauthPaths.token, oauthPaths.revocation]) {
    app.route({ method: 'POST', url, handler: handleByLibrary })
    app.route({ method: 'OPTIONS', url, handler: answerOptions })
  }
}

/** The metadata of an authorization server, at each of its paths. */
export function serverMetadataRoutes(app: FastifyInstance, addresses: OAuthAddresses): void {
  const document = serverMetadata(addresses)
  for (const path of serverMetadataPaths(addresses.issuer))
    app.get(path, async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=300').header('access-control-allow-origin', '*').send(document),
    )
}
