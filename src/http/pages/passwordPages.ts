import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findResetPerson } from '#account/passwordReset.ts'
import { openProfile } from '#account/person.ts'
import { ownCommand } from '#kit/ownCommand.ts'
import { requestLanguage } from '../requestLanguage.ts'
import {
  basePathOf,
  dashboardPathOf,
  errorNotes,
  faultMessages,
  linkSecret,
  type PageOptions,
  type PagesDeps,
  readForm,
  rememberBrowser,
  requireSignedIn,
  sendPage,
  startSession,
} from './accountPages.ts'
import { copyable, html } from './html.ts'

type Failure = Pick<PageOptions, 'status' | 'headers'> & { errors?: readonly string[] }

const toFailure = (problem: unknown): Failure => {
  const { messages: errors, ...response } = faultMessages(problem)
  return { ...response, errors }
}

const newPasswordField = html`<label>A new password, at least 10 characters<input name="password" type="password" autocomplete="new-password" required minlength="10" maxlength="200"></label>`

const resetCommand = ({ environment }: PagesDeps) =>
  `${ownCommand} person reset --email you@example.com${environment === 'sandbox' ? ' --environment sandbox' : ''}`

/** Requests a link. The answer is the same whether or not the e-mail belongs to a person. */
function forgotRoutes(app: FastifyInstance, deps: PagesDeps): void {
  const base = basePathOf(deps)
  const back = html`<p><a href="${base}/account/sign-in">Back to sign-in</a></p>`
  const form = (reply: FastifyReply, email = '', { errors = [], ...more }: Failure = {}) => {
    const body = deps.mails
      ? html`${errorNotes(errors)}
<form method="post" action="${base}/account/forgot" class="card"><p>Aglet sends you a link to set a new one.</p>
<label>E-mail<input name="email" type="email" autocomplete="username" required maxlength="254" value="${email}"></label>
<button class="wide">Mail me a link</button></form>${back}`
      : html`<p>This server cannot send mail. Ask its operator to create a link with ${copyable(resetCommand(deps))} on the machine of the server.</p>${back}`
    return sendPage(deps, reply, { title: 'Forgot your password?', ...more, body })
  }
  app.get('/account/forgot', (_request, reply) => form(reply))
  app.post('/account/forgot', async (request, reply) => {
    const email = readForm(request).get('email') ?? ''
    if (!deps.mails) return form(reply)
    try {
      await deps.requestReset(email.slice(0, 254), request.ip, requestLanguage(request.headers))
    } catch (problem) {
      return form(reply, email, toFailure(problem))
    }
    return reply.redirect(`${base}/account/forgot/sent`, 303)
  })
  app.get('/account/forgot/sent', (_request, reply) => {
    const body = html`<p class="notice" role="status">If this e-mail has an account here, we have sent it a link.</p>
<p>It works once, within an hour. If you do not receive it, check your spam folder, then try again.</p>${back}`
    return sendPage(deps, reply, { title: 'Check your e-mail', body })
  })
}

/** The page of a reset link. Viewing it changes nothing, because mail previews request it. */
function resetRoutes(app: FastifyInstance, deps: PagesDeps): void {
  const base = basePathOf(deps)
  const refuse = (reply: FastifyReply) => {
    const body = html`<p>It has expired, was used, or the password has changed since.</p>
<p><a href="${base}/account/forgot">Request another link</a></p>`
    return sendPage(deps, reply, { title: 'Link used up', status: 410, body })
  }
  async function form(request: FastifyRequest, reply: FastifyReply, { errors = [], ...more }: Failure = {}) {
    const person = await findResetPerson(deps, linkSecret(request))
    if (!person) return refuse(reply)
    const { name, email = '' } = openProfile(person, deps.keys)
    const body = html`${errorNotes(errors)}<form method="post" class="card"><p>For ${email || name}. Your other sessions end.</p>
<input type="hidden" autocomplete="username" value="${email}">${newPasswordField}<button class="wide">Set and sign in</button></form>`
    return sendPage(deps, reply, { title: 'Set a new password', ...more, body })
  }
  app.get('/account/reset/:secret', (request, reply) => form(request, reply))
  app.post('/account/reset/:secret', async (request, reply) => {
    const password = readForm(request).get('password') ?? ''
    try {
      const language = requestLanguage(request.headers)
      const session = await deps.resetPassword(linkSecret(request), password, request.ip, language)
      if (!session) return refuse(reply)
      await startSession(deps, request, reply, session.secret)
      return reply.redirect(dashboardPathOf(deps), 303)
    } catch (problem) {
      return form(request, reply, toFailure(problem))
    }
  })
}

/** Changes the password of a signed-in person, who may have no team and therefore no dashboard. */
function changeRoutes(app: FastifyInstance, deps: PagesDeps): void {
  const path = `${basePathOf(deps)}/account/password`
  const form = (reply: FastifyReply, { errors = [], ...more }: Failure = {}) => {
    const body = html`${errorNotes(errors)}<form method="post" action="${path}" class="card">
<label>Current password<input name="currentPassword" type="password" autocomplete="current-password" required maxlength="200"></label>
${newPasswordField}<button class="wide">Change</button></form><p>Your other sessions end.</p>`
    return sendPage(deps, reply, { title: 'Change your password', ...more, body, isSignedIn: true })
  }
  app.get('/account/password', async (request, reply) => {
    const who = await requireSignedIn(deps, request, reply)
    return who ? form(reply) : reply
  })
  app.post('/account/password', async (request, reply) => {
    const who = await requireSignedIn(deps, request, reply)
    if (!who) return reply
    const fields = readForm(request)
    const change = { password: fields.get('password') ?? '', currentPassword: fields.get('currentPassword') ?? '' }
    try {
      await deps.changeSignIn(who, change, request.ip, requestLanguage(request.headers))
    } catch (problem) {
      return form(reply, toFailure(problem))
    }
    const person = await deps.store.accounts.person(who.person.personId)
    if (person) await rememberBrowser(deps, request, reply, { ...who, person })
    return reply.redirect(`${path}/changed`, 303)
  })
  app.get('/account/password/changed', async (request, reply) => {
    const who = await requireSignedIn(deps, request, reply)
    if (!who) return reply
    const body = html`<p class="notice" role="status">Your new password signs you in now.</p>
<p><a href="${dashboardPathOf(deps)}">Dashboard</a></p>`
    return sendPage(deps, reply, { title: 'Password changed', body, isSignedIn: true })
  })
}

export function passwordPageRoutes(app: FastifyInstance, deps: PagesDeps): void {
  forgotRoutes(app, deps)
  resetRoutes(app, deps)
  changeRoutes(app, deps)
}
