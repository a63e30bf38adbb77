import type { FastifyInstance } from 'fastify'
import type { Log } from '#kit/log.ts'
import type { TokenRate } from '#limit/tokenRate.ts'
import { discoveryRoutes, type LazyProvider, oauthRoutes } from './oauth.ts'
import { accountRoutes as homeRoutes } from './pages/account.ts'
import { consentRoutes } from './pages/consent.ts'
import { emailRoutes } from './pages/email.ts'
import { basePathOf, type PagesWorld, refuseOtherSites } from './pages/forms.ts'
import { html, pageHtml, policyOf } from './pages/html.ts'
import { invitationRoutes } from './pages/invitation.ts'
import { signInRoutes } from './pages/signIn.ts'
import { teamRoutes } from './pages/team.ts'
import { countAddresses } from './rate.ts'

const errorPage = (environment: string) => (message: string) => ({
  html: pageHtml({ title: 'That did not work', environment, body: html`<p>${message}</p>` }),
  policy: policyOf(),
})

/** `rateLimit`: how many calls an address may make in a minute. */
type AccountPages = PagesWorld & { log: Log; rateLimit: number; tokenRate: TokenRate }

/** Sign-in, invitations, teams, consent and OAuth of one environment. */
export function accountRoutes(app: FastifyInstance, on: AccountPages): void {
  const issuer = on.environment === 'sandbox' ? `${on.origin}/sandbox` : on.origin
  let opened: ReturnType<LazyProvider> | undefined
  const open = async () => {
    const { openOAuth } = await import('#account/oauth.ts')
    return openOAuth({ ...on, issuer, errorHtml: errorPage(on.environment) })
  }
  const provider: LazyProvider = () => (opened ??= open())
  const prefix = basePathOf(on)
  const { host } = new URL(on.origin)
  const count = countAddresses(app, () => on.rateLimit)
  discoveryRoutes(app, { issuer, baseUrl: on.baseUrl })
  app.register(async (routes) => oauthRoutes(routes, { origin: on.origin, provider, count }), { prefix })
  app.register(
    async (pages) => {
      pages.addHook('onRequest', async (request, reply) => {
        await count(request, reply)
        if (request.method === 'POST') refuseOtherSites(on, request)
        // Cookies belong to a host: who came by another name of this machine goes on by the one that links lead to.
        else if (request.host !== host) return reply.redirect(on.origin + request.url, 303)
        return undefined
      })
      signInRoutes(pages, on)
      emailRoutes(pages, on)
      invitationRoutes(pages, on)
      homeRoutes(pages, on)
      teamRoutes(pages, on)
      consentRoutes(pages, on, provider)
    },
    { prefix },
  )
}
