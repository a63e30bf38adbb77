import type { FastifyInstance, FastifyReply } from 'fastify'
import { endSession } from '#account/session.ts'
import { isValidLink, signInByLink } from '#account/signInLink.ts'
import { ownCommand } from '#kit/ownCommand.ts'
import {
  basePathOf,
  clearSessionCookie,
  dashboardPathOf,
  deviceIn,
  errorNotes,
  faultMessages,
  findSignedIn,
  linkSecret,
  type PageOptions,
  type PagesDeps,
  readForm,
  safeRedirect,
  sendPage,
  startSandboxSession,
  startSession,
} from './accountPages.ts'
import { copyable, html } from './html.ts'

/** The command that prints a link for the operator while the server runs. */
const linkCommand = ({ environment }: PagesDeps) =>
  `${ownCommand} sign-in${environment === 'sandbox' ? ' --environment sandbox' : ''}`

type SignInForm = { email?: string; next: string; errors?: readonly string[]; isSignedOut?: boolean }

const signedOutNotice = ({ environment }: PagesDeps) =>
  environment === 'sandbox'
    ? html`<p class="notice" role="status">You are signed out of the sandbox. A session in production stays signed in.</p>`
    : html`<p class="notice" role="status">You are signed out of production. A session in the sandbox stays signed in.</p>`

const signInForm = (deps: PagesDeps, { email = '', next, errors = [], isSignedOut = false }: SignInForm) => html`
${isSignedOut && signedOutNotice(deps)}${errorNotes(errors)}
<form method="post" action="${basePathOf(deps)}/account/sign-in" class="card">
<input type="hidden" name="next" value="${next}">
<label>E-mail<input name="email" type="email" autocomplete="username" required value="${email}" maxlength="254"></label>
<label>Password<input name="password" type="password" autocomplete="current-password" required maxlength="200"></label>
<button class="wide">Sign in</button>
</form>
<p><a href="${basePathOf(deps)}/account/forgot">Forgot your password?</a></p>
<p>No password yet? An invitation signs you in. The operator gets a link with ${copyable(linkCommand(deps))} on the machine of the server.</p>`

/** Sign-in by e-mail and password. */
function passwordRoutes(app: FastifyInstance, deps: PagesDeps): void {
  const form = (reply: FastifyReply, values: SignInForm, more: Pick<PageOptions, 'status' | 'headers'> = {}) =>
    sendPage(deps, reply, { title: 'Sign in', ...more, body: signInForm(deps, values) })

  app.get('/account/sign-in', async (request, reply) => {
    const query = request.query as { next?: string; signedOut?: string }
    const next = safeRedirect(deps, query.next ?? null)
    if (await findSignedIn(deps, request)) return reply.redirect(next, 303)
    return form(reply, { next, isSignedOut: query.signedOut !== undefined })
  })
  app.post('/account/sign-in', async (request, reply) => {
    const fields = readForm(request)
    const [email, password] = [fields.get('email') ?? '', fields.get('password') ?? '']
    const values = { email, next: safeRedirect(deps, fields.get('next')) }
    try {
      const { secret, personId } = await deps.trySignIn({ email, password }, request.ip, deviceIn(deps, request))
      await startSession(deps, request, reply, secret)
      await startSandboxSession(deps, request, reply, personId)
      return reply.redirect(values.next, 303)
    } catch (problem) {
      const { messages: errors, ...response } = faultMessages(problem)
      return form(reply, { ...values, errors }, response)
    }
  })
}

const usedLinkNotice = (deps: PagesDeps) => html`<p>This link has expired or was already used.</p>
<p>Print a new one on the server, even while Aglet runs: ${copyable(linkCommand(deps))}</p>`

/** GET does not use up a link, because link previews request it. */
function linkRoutes(app: FastifyInstance, deps: PagesDeps): void {
  const refuse = (reply: FastifyReply) =>
    sendPage(deps, reply, { title: 'Link used up', status: 410, body: usedLinkNotice(deps) })
  app.get('/account/link/:secret', async (request, reply) => {
    if (!(await isValidLink(deps, linkSecret(request)))) return refuse(reply)
    const body = html`<p>This link works once.</p><form method="post"><button class="wide">Sign in</button></form>`
    return sendPage(deps, reply, { title: 'Sign in as the operator', body })
  })
  app.post('/account/link/:secret', async (request, reply) => {
    const secret = await signInByLink(deps, linkSecret(request), request.ip)
    if (!secret) return refuse(reply)
    await startSession(deps, request, reply, secret)
    return reply.redirect(dashboardPathOf(deps), 303)
  })
}

function signOutRoute(app: FastifyInstance, deps: PagesDeps): void {
  app.post('/account/sign-out', async (request, reply) => {
    const who = await findSignedIn(deps, request)
    if (who) await endSession(deps, who, request.ip)
    return clearSessionCookie(deps, reply).redirect(`${basePathOf(deps)}/account/sign-in?signedOut`, 303)
  })
}

export function signInPageRoutes(app: FastifyInstance, deps: PagesDeps): void {
  passwordRoutes(app, deps)
  linkRoutes(app, deps)
  signOutRoute(app, deps)
}
