import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { confirmEmail, emailOfLink } from '#account/emailChange.ts'
import { Fault } from '#contract/fault.ts'
import { basePathOf, type PagesWorld, show } from './forms.ts'
import { html } from './html.ts'

const gone = html`<p>This link was used, replaced or has expired.</p>
<p>Ask for the e-mail again on the page of your account.</p>`

/** Where the link that was sent to an e-mail leads. To look at it does not use it up, and nobody is signed in by it. */
export function emailRoutes(app: FastifyInstance, on: PagesWorld): void {
  const secretOf = ({ params }: FastifyRequest) => (params as { secret: string }).secret
  const refuse = (reply: FastifyReply) => show(on, reply, { title: 'Link used up', status: 410, body: gone })
  app.get('/account/email/:secret', async (request, reply) => {
    const email = await emailOfLink(on, secretOf(request))
    if (email === undefined) return refuse(reply)
    const body = html`<p>From now on ${email} signs you in.</p>
<form method="post"><button class="wide">Confirm</button></form>`
    return show(on, reply, { title: 'Confirm your e-mail', body })
  })
  app.post('/account/email/:secret', async (request, reply) => {
    try {
      const { email } = await confirmEmail(on, secretOf(request), request.ip)
      const body = html`<p>${email} signs you in now.</p><p><a href="${basePathOf(on)}/account">Your account</a></p>`
      return show(on, reply, { title: 'Confirmed', body })
    } catch (problem) {
      if (problem instanceof Fault && problem.fault === 'emailLinkUnknown') return refuse(reply)
      throw problem
    }
  })
}
