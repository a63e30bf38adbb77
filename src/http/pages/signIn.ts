import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { signOut } from '#account/session.ts'
import { isGoodLink, signInByLink } from '#account/signInLink.ts'
import {
  basePathOf,
  dropSession,
  keepSession,
  type PagesWorld,
  readForm,
  type Shown,
  safeNext,
  show,
  signedIn,
  tell,
} from './forms.ts'
import { html } from './html.ts'

type Said = { email?: string; next: string; wrong?: readonly string[] }

const signInForm = (path: string, { email = '', next, wrong = [] }: Said) => html`
${wrong.map((each) => html`<p class="wrong" role="alert">${each}</p>`)}
<form method="post" action="${path}" class="card">
<input type="hidden" name="next" value="${next}">
<label>E-mail<input name="email" type="email" autocomplete="username" required value="${email}" maxlength="254"></label>
<label>Password<input name="password" type="password" autocomplete="current-password" required maxlength="200"></label>
<button class="wide">Sign in</button>
</form>
<p>No password yet? The operator's link and an invitation both sign you in.</p>`

/** Signing in by e-mail and password. */
function passwordRoutes(app: FastifyInstance, on: PagesWorld): void {
  const path = `${basePathOf(on)}/account/sign-in`
  const form = (reply: FastifyReply, said: Said, more: Pick<Shown, 'status' | 'headers'> = {}) =>
    show(on, reply, { title: 'Sign in', ...more, body: signInForm(path, said) })

  app.get('/account/sign-in', async (request, reply) => {
    const next = safeNext(on, (request.query as { next?: string }).next ?? null)
    return (await signedIn(on, request)) ? reply.redirect(next, 303) : form(reply, { next })
  })
  app.post('/account/sign-in', async (request, reply) => {
    const fields = readForm(request)
    const [email, password] = [fields.get('email') ?? '', fields.get('password') ?? '']
    const said = { email, next: safeNext(on, fields.get('next')) }
    try {
      const { secret } = await on.trySignIn({ email, password }, request.ip)
      return keepSession(on, reply, secret).redirect(said.next, 303)
    } catch (problem) {
      const { messages: wrong, ...told } = tell(problem)
      return form(reply, { ...said, wrong }, told)
    }
  })
}

const usedUp = html`<p>This link was used before, or has expired.</p>
<p>Print a new one with <code>npm start -- --sign-in</code>.</p>`

/** Looking at a link does not use it up: programs that preview links do that. */
function linkRoutes(app: FastifyInstance, on: PagesWorld): void {
  const secretOf = ({ params }: FastifyRequest) => (params as { secret: string }).secret
  const refuse = (reply: FastifyReply) => show(on, reply, { title: 'Link used up', status: 410, body: usedUp })
  app.get('/account/link/:secret', async (request, reply) => {
    if (!(await isGoodLink(on, secretOf(request)))) return refuse(reply)
    const body = html`<p>This link works once.</p><form method="post"><button class="wide">Sign in</button></form>`
    return show(on, reply, { title: 'Sign in as the operator', body })
  })
  app.post('/account/link/:secret', async (request, reply) => {
    const secret = await signInByLink(on, secretOf(request), request.ip)
    if (!secret) return refuse(reply)
    return keepSession(on, reply, secret).redirect(`${basePathOf(on)}/account`, 303)
  })
}

function signOutRoute(app: FastifyInstance, on: PagesWorld): void {
  app.post('/account/sign-out', async (request, reply) => {
    const who = await signedIn(on, request)
    if (who) await signOut(on, who, request.ip)
    return dropSession(on, reply).redirect(`${basePathOf(on)}/account/sign-in`, 303)
  })
}

export function signInRoutes(app: FastifyInstance, on: PagesWorld): void {
  passwordRoutes(app, on)
  linkRoutes(app, on)
  signOutRoute(app, on)
}
