import type { FastifyInstance } from 'fastify'
import type { TokenIssueRate } from '#limit/tokenIssueRate.ts'
import { type OAuthProviderLoader, oauthRoutes, serverMetadataRoutes } from './oauthRoutes.ts'
import { accountPageRoutes } from './pages/accountPage.ts'
import { basePathOf, requireSameSite } from './pages/accountPages.ts'
import { type AlertMailPageDeps, alertMailPageRoutes } from './pages/alertMailPage.ts'
import { consentPageRoutes } from './pages/consentPage.ts'
import { emailPageRoutes } from './pages/emailPage.ts'
import { errorPage } from './pages/errorPage.ts'
import { contentSecurityPolicy } from './pages/html.ts'
import { invitationPageRoutes } from './pages/invitationPage.ts'
import { passwordPageRoutes } from './pages/passwordPages.ts'
import { signInPageRoutes } from './pages/signInPage.ts'
import { limitAddresses } from './rateLimit.ts'

const toErrorPage = (baseUrl: string) => (message: string) => ({
  html: errorPage({ status: 400, message }, new URL(baseUrl).pathname),
  policy: contentSecurityPolicy(),
})

/** `rateLimit`: the calls per minute of an IP address. */
type AccountRoutesDeps = AlertMailPageDeps & { rateLimit(): number; tokenRate: TokenIssueRate }

/** Sign-in, invitations, consent and OAuth of one environment. */
export function accountRoutes(app: FastifyInstance, deps: AccountRoutesDeps): void {
  const issuer = deps.environment === 'sandbox' ? `${deps.origin}/sandbox` : deps.origin
  let loadedProvider: ReturnType<OAuthProviderLoader> | undefined
  const createProvider = async () => {
    const { createOAuthProvider } = await import('#account/oauthProvider.ts')
    const { environment, clock, store, keys, log, tokenRate, baseUrl } = deps
    const addresses = { issuer, baseUrl, errorHtml: toErrorPage(baseUrl) }
    return createOAuthProvider({ environment, clock, store, keys, log, tokenRate, ...addresses })
  }
  const provider: OAuthProviderLoader = () => (loadedProvider ??= createProvider())
  const prefix = basePathOf(deps)
  const { host } = new URL(deps.origin)
  const count = limitAddresses(app, () => deps.rateLimit())
  serverMetadataRoutes(app, { issuer, baseUrl: deps.baseUrl })
  app.register(async (routes) => oauthRoutes(routes, { origin: deps.origin, provider, count }), { prefix })
  app.register(
    async (pages) => {
      pages.addHook('onRequest', async (request, reply) => {
        await count(request, reply)
        if (request.method === 'POST') requireSameSite(deps, request)
        // Cookies belong to a host, so requests to other names of this machine are redirected to the origin.
        else if (request.host !== host) return reply.redirect(deps.origin + request.url, 303)
        return undefined
      })
      signInPageRoutes(pages, deps)
      passwordPageRoutes(pages, deps)
      emailPageRoutes(pages, deps)
      alertMailPageRoutes(pages, deps)
      invitationPageRoutes(pages, deps)
      accountPageRoutes(pages, deps)
      consentPageRoutes(pages, deps, provider)
    },
    { prefix },
  )
}
