import type { FastifyInstance, FastifyReply } from 'fastify'
import { confirmEmail, findEmailOfLink } from '#account/emailChange.ts'
import { Fault } from '#contract/fault.ts'
import { requestLanguage } from '../requestLanguage.ts'
import { basePathOf, dashboardPathOf, linkSecret, type PagesDeps, sendPage } from './accountPages.ts'
import { html } from './html.ts'

const usedLinkNotice = html`<p>This link has expired, or was used or replaced.</p>
<p>Enter the e-mail again on your account page in the dashboard.</p>`

/** The page of an e-mail link. Viewing it does not use up the link, and the link signs nobody in. */
export function emailPageRoutes(app: FastifyInstance, deps: PagesDeps): void {
  const refuse = (reply: FastifyReply) =>
    sendPage(deps, reply, { title: 'Link used up', status: 410, body: usedLinkNotice })
  app.get('/account/email/:secret', async (request, reply) => {
    const email = await findEmailOfLink(deps, linkSecret(request))
    if (email === undefined) return refuse(reply)
    const body = html`<p>From now on ${email} signs you in.</p>
<form method="post"><button class="wide">Confirm</button></form>`
    return sendPage(deps, reply, { title: 'Confirm your e-mail', body })
  })
  app.get('/account/email-confirmed', async (_request, reply) => {
    const body = html`<p class="notice" role="status">Your new e-mail signs you in now.</p><p><a href="${dashboardPathOf(deps)}">Dashboard</a></p>`
    return sendPage(deps, reply, { title: 'Confirmed', body })
  })
  app.post('/account/email/:secret', async (request, reply) => {
    try {
      const { personId, before } = await confirmEmail(deps, linkSecret(request), request.ip)
      const language = requestLanguage(request.headers)
      if (before) deps.mails?.send.emailChanged({ to: before, language, key: personId })
      return reply.redirect(`${basePathOf(deps)}/account/email-confirmed`, 303)
    } catch (problem) {
      if (problem instanceof Fault && problem.fault === 'emailLinkUnknown') return refuse(reply)
      throw problem
    }
  })
}
