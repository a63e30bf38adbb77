import type { FastifyInstance, FastifyReply } from 'fastify'
import { endSubscription, findSubscription } from '#alert/subscription.ts'
import type { Store } from '#store/store.ts'
import { basePathOf, linkSecret, type PagesDeps, sendPage } from './accountPages.ts'
import { html } from './html.ts'

export type AlertMailPageDeps = PagesDeps & { store: Pick<Store, 'incidents'> }

const usedLinkNotice = html`<p>This link no longer sends alerts to this address.</p>`

/** The page that ends alert mails to an address. Viewing it changes nothing, because link previews request it. */
export function alertMailPageRoutes(app: FastifyInstance, deps: AlertMailPageDeps): void {
  const refuse = (reply: FastifyReply) =>
    sendPage(deps, reply, { title: 'No alerts', status: 410, body: usedLinkNotice })
  app.get('/account/alert-mails/:secret', async (request, reply) => {
    const found = await findSubscription(deps, linkSecret(request))
    if (!found) return refuse(reply)
    const body = html`<p>${found.address} receives alerts of a team on this server.</p>
<form method="post"><button class="wide">Stop these alerts</button></form>`
    return sendPage(deps, reply, { title: 'Alerts by e-mail', body })
  })
  app.post('/account/alert-mails/:secret', async (request, reply) =>
    (await endSubscription(deps, linkSecret(request), request.ip))
      ? reply.redirect(`${basePathOf(deps)}/account/alert-mails-ended`, 303)
      : refuse(reply),
  )
  app.get('/account/alert-mails-ended', async (_request, reply) => {
    const body = html`<p class="notice" role="status">This address no longer receives alerts.</p>`
    return sendPage(deps, reply, { title: 'No more alerts', body })
  })
}
