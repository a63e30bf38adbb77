import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { approveApplication } from '#account/application.ts'
import { findGrantedApplications, revokeApplicationAccess } from '#account/applicationGrants.ts'
import type { SignInChange } from '#account/changeSignIn.ts'
import { createEmailLink, findPendingEmail, findPendingEmailChanges } from '#account/emailChange.ts'
import { findMemberships } from '#account/membership.ts'
import { openProfile } from '#account/person.ts'
import type { SignedInPerson } from '#account/session.ts'
import { fault } from '#contract/fault.ts'
import { grantedCard, pendingCard, signInCard, teamsCard, waitingCard } from './accountCards.ts'
import {
  basePathOf,
  faultMessages,
  findSignedIn,
  homePathOf,
  type PagesDeps,
  readForm,
  sendPage,
} from './accountPages.ts'
import { html } from './html.ts'

/** The signed-in person. Otherwise redirects to the sign-in page, which leads back, and returns undefined. */
export async function requireSignedIn(deps: PagesDeps, request: FastifyRequest, reply: FastifyReply) {
  const who = await findSignedIn(deps, request)
  if (who) return who
  const next = request.method === 'GET' ? request.url : `${basePathOf(deps)}/account`
  reply.redirect(`${basePathOf(deps)}/account/sign-in?next=${encodeURIComponent(next)}`, 303)
  return undefined
}

type AccountPageMessage = {
  notice?: string
  /** A link that is shown only once. */
  link?: { url: string; newEmail: string }
  errors?: readonly string[]
  status?: number
  headers?: Record<string, string>
}

const linkNote = ({ url, newEmail }: NonNullable<AccountPageMessage['link']>) => html`
<p class="notice" role="status">Send this link to ${newEmail} and nowhere else. It works once and is shown this once:<br><code>${url}</code></p>`

/**
 * The account page: teams, granted applications and sign-in data; for the operator also pending approvals and e-mails.
 */
async function sendAccountPage(
  deps: PagesDeps,
  { person }: SignedInPerson,
  reply: FastifyReply,
  message: AccountPageMessage = {},
) {
  const base = basePathOf(deps)
  const { personId } = person
  const teams = await findMemberships(deps, person)
  const isOperator = person.role === 'operator'
  const pending = isOperator ? await deps.store.accounts.pendingApplications() : []
  const emailChanges = isOperator ? await findPendingEmailChanges(deps) : []
  const grantedApplications = await findGrantedApplications(deps, personId)
  const profile = openProfile(person, deps.keys)
  const newEmail = await findPendingEmail(deps, personId)
  const hasPassword = person.password !== undefined
  const { notice, link, errors = [], status = 200, headers = {} } = message
  const body = html`
${notice && html`<p class="notice" role="status">${notice}</p>`}${link && linkNote(link)}
${errors.map((each) => html`<p class="error" role="alert">${each}</p>`)}
${deps.hasDashboard && html`<p><a href="${homePathOf(deps)}">Open the dashboard</a></p>`}${teamsCard(base, teams)}${pendingCard(base, pending)}${waitingCard(base, emailChanges)}${grantedCard(base, grantedApplications)}
${signInCard(base, { ...profile, hasPassword, ...(newEmail !== undefined && { newEmail }) })}
<form method="post" action="${base}/account/sign-out"><button class="quiet">Sign out</button></form>`
  return sendPage(deps, reply, { title: profile.name || 'Your account', status, headers, body, isNarrow: false })
}

/** The changes of the form. The current e-mail and a blank password are no change. */
function readSignInChange(fields: URLSearchParams, { email }: { email?: string }): SignInChange {
  const [newEmail = '', password = '', currentPassword = ''] = ['email', 'password', 'currentPassword'].map(
    (name) => fields.get(name) ?? '',
  )
  return {
    name: fields.get('name') ?? '',
    ...(newEmail !== email && { email: newEmail }),
    ...(password !== '' && { password }),
    ...(currentPassword !== '' && { currentPassword }),
  }
}

function operatorRoutes(app: FastifyInstance, deps: PagesDeps): void {
  /** The operator, signed in. Throws notFound for everyone else. */
  async function requireOperator(request: FastifyRequest, reply: FastifyReply): Promise<SignedInPerson | undefined> {
    const who = await requireSignedIn(deps, request, reply)
    if (who && who.person.role !== 'operator') throw fault('notFound')
    return who
  }
  app.post('/account/application/:applicationId/approve', async (request, reply) => {
    const who = await requireOperator(request, reply)
    if (!who) return reply
    const { applicationId } = request.params as { applicationId: string }
    await approveApplication(deps, applicationId, { by: who.person.personId, from: request.ip })
    return reply.redirect(`${basePathOf(deps)}/account`, 303)
  })
  app.post('/account/email-change/:personId', async (request, reply) => {
    const who = await requireOperator(request, reply)
    if (!who) return reply
    const { personId } = request.params as { personId: string }
    try {
      const emailChange = { baseUrl: deps.baseUrl, personId }
      return sendAccountPage(deps, who, reply, {
        link: await createEmailLink(deps, emailChange, { by: who.person.personId, from: request.ip }),
      })
    } catch (problem) {
      const { messages: errors, ...response } = faultMessages(problem)
      return sendAccountPage(deps, who, reply, { ...response, errors })
    }
  })
}

export function accountPageRoutes(app: FastifyInstance, deps: PagesDeps): void {
  operatorRoutes(app, deps)
  app.get('/account', async (request, reply) => {
    const who = await requireSignedIn(deps, request, reply)
    return who ? sendAccountPage(deps, who, reply) : reply
  })
  app.post('/account/sign-in-data', async (request, reply) => {
    const who = await requireSignedIn(deps, request, reply)
    if (!who) return reply
    try {
      await deps.changeSignIn(who, readSignInChange(readForm(request), openProfile(who.person, deps.keys)), request.ip)
    } catch (problem) {
      const { messages: errors, ...response } = faultMessages(problem)
      return sendAccountPage(deps, who, reply, { ...response, errors })
    }
    const person = (await deps.store.accounts.person(who.person.personId))!
    return sendAccountPage(deps, { ...who, person }, reply, { notice: 'Saved. You are signed out everywhere else.' })
  })
  app.post('/account/access/end', async (request, reply) => {
    const who = await requireSignedIn(deps, request, reply)
    if (!who) return reply
    const fields = readForm(request)
    const grant = { applicationId: fields.get('application') ?? '', teamId: fields.get('team') ?? '' }
    await revokeApplicationAccess(deps, who.person.personId, grant, request.ip)
    return sendAccountPage(deps, who, reply, { notice: 'Its access has ended.' })
  })
}
