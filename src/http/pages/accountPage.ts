import type { FastifyInstance } from 'fastify'
import { dashboardPathOf, type PagesDeps, requireSignedIn } from './accountPages.ts'

/** Redirects the addresses of the account and of teams to the dashboard, which has both. */
export function accountPageRoutes(app: FastifyInstance, deps: PagesDeps): void {
  app.get('/account', async (request, reply) => {
    const who = await requireSignedIn(deps, request, reply)
    return who ? reply.redirect(dashboardPathOf(deps), 303) : reply
  })
  app.get('/account/team/:teamId', async (request, reply) => {
    const who = await requireSignedIn(deps, request, reply)
    const { teamId } = request.params as { teamId: string }
    return who ? reply.redirect(`${dashboardPathOf(deps)}/${encodeURIComponent(teamId)}/members`, 303) : reply
  })
}
