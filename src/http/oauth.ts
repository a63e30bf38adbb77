import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Provider } from 'oidc-provider'
import { discovery, discoveryPaths, type OAuthAddresses, oauthPaths } from '#account/oauthAddresses.ts'
import { Fault } from '#contract/fault.ts'
import type { CountCall } from './rate.ts'

/** The library makes addresses of what a request came to: it came to the origin, whoever forwarded it, from who called. */
function cameTo(origin: string, { ip, raw: { headers } }: FastifyRequest): void {
  const { host, protocol } = new URL(origin)
  headers.host = host
  headers['x-forwarded-host'] = host
  headers['x-forwarded-proto'] = protocol.slice(0, -1)
  headers['x-forwarded-for'] = ip
}

/** The authorization server, opened when it is first asked: many an Aglet never is, and the library takes 46 MB. */
export type LazyProvider = () => Promise<Provider>

/** One call too many of an application is told as its library reads it (RFC 6749, 5.2); nobody else reads that. */
async function countOAuth(count: CountCall, request: FastifyRequest, reply: FastifyReply) {
  try {
    await count(request, reply)
  } catch (problem) {
    if (request.method !== 'POST' || !(problem instanceof Fault)) throw problem
    const told = { error: 'temporarily_unavailable', error_description: problem.message }
    return reply.code(problem.status).headers(problem.headers).header('cache-control', 'no-store').send(told)
  }
  return undefined
}

/** The endpoints of OAuth, answered by the library; to be registered below the environment's base path. */
export function oauthRoutes(
  app: FastifyInstance,
  { origin, provider, count }: { origin: string; provider: LazyProvider; count: CountCall },
): void {
  let answering: Promise<ReturnType<Provider['callback']>> | undefined
  // The library reads bodies itself, and takes no more than 56 KiB.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.addHook('onRequest', (request, reply) => countOAuth(count, request, reply))
  const hand = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack()
    cameTo(origin, request)
    answering ??= provider().then((opened) => opened.callback())
    const answer = await answering
    await answer(request.raw, reply.raw)
  }
  app.get(oauthPaths.authorization, { exposeHeadRoute: false }, hand)
  app.get(`${oauthPaths.authorization}/:uid`, { exposeHeadRoute: false }, hand)
  for (const path of [oauthPaths.token, oauthPaths.revocation]) app.route({ method: 'POST', url: path, handler: hand })
  app.route({ method: 'OPTIONS', url: oauthPaths.token, handler: hand })
  app.route({ method: 'OPTIONS', url: oauthPaths.revocation, handler: hand })
}

/** The metadata of an authorization server, at each address where it is looked for. */
export function discoveryRoutes(app: FastifyInstance, addresses: OAuthAddresses): void {
  const document = discovery(addresses)
  for (const path of discoveryPaths(addresses.issuer))
    app.get(path, async (_request, reply) =>
      reply.header('cache-control', 'public, max-age=300').header('access-control-allow-origin', '*').send(document),
    )
}
