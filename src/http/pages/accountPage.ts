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
  errorNotes,
  faultMessages,
  findSignedIn,
  homePathOf,
  messageNotes,
  type PagesDeps,
  readForm,
  rememberBrowser,
  sendConfirmation,
  sendPage,
} from './accountPages.ts'
import { html } from './html.ts'
import { type PageMessage, redirectWith, takeMessage } from './pageMessages.ts'

/** The signed-in person. Otherwise redirects to the sign-in page, which leads back, and returns undefined. */
export async function requireSignedIn(deps: PagesDeps, request: FastifyRequest, reply: FastifyReply) {
  const who = await findSignedIn(deps, request)
  if (who) return who
  const next = request.method === 'GET' ? request.url : `${basePathOf(deps)}/account`
  reply.redirect(`${basePathOf(deps)}/account/sign-in?next=${encodeURIComponent(next)}`, 303)
  return undefined
}

type AccountPageMessage = PageMessage & {
  errors?: readonly string[]
  status?: number
  headers?: Record<string, string>
}

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
  const { errors = [], status = 200, headers = {} } = message
  const body = html`
${messageNotes(message)}${errorNotes(errors)}
${deps.hasDashboard && html`<p><a href="${homePathOf(deps)}">Open the dashboard</a></p>`}${teamsCard(base, teams)}${pendingCard(base, pending)}${waitingCard(base, emailChanges)}${grantedCard(base, grantedApplications)}
${signInCard(base, { ...profile, hasPassword, ...(newEmail !== undefined && { newEmail }) })}`
  const title = profile.name || 'Your account'
  return sendPage(deps, reply, { title, status, headers, body, isNarrow: false, isSignedIn: true })
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
  const account = `${basePathOf(deps)}/account`
  const approval = '/account/application/:applicationId/approve'
  app.get(approval, async (request, reply) => {
    const who = await requireOperator(request, reply)
    if (!who) return reply
    const { applicationId } = request.params as { applicationId: string }
    const application = await deps.store.accounts.application(applicationId)
    if (!application) throw fault('applicationUnknown')
    const { name, teamId, scopes } = application
    return sendConfirmation(deps, reply, {
      title: `Approve ${name}?`,
      sentence: `It can then get tokens of ${teamId} with ${scopes.join(', ')}. An approval cannot be withdrawn; the team can delete the application.`,
      action: 'Approve',
      path: `${account}/application/${applicationId}/approve`,
      keepPath: account,
    })
  })
  app.post(approval, async (request, reply) => {
    const who = await requireOperator(request, reply)
    if (!who) return reply
    const { applicationId } = request.params as { applicationId: string }
    const { name } = await approveApplication(deps, applicationId, { by: who.person.personId, from: request.ip })
    return redirectWith(deps, reply, account, { notice: `${name} is approved.` })
  })
  app.post('/account/email-change/:personId', async (request, reply) => {
    const who = await requireOperator(request, reply)
    if (!who) return reply
    const { personId } = request.params as { personId: string }
    try {
      const emailChange = { baseUrl: deps.baseUrl, personId }
      const author = { by: who.person.personId, from: request.ip }
      const { url, newEmail } = await createEmailLink(deps, emailChange, author)
      const sentence = `Send this link to ${newEmail} and nowhere else. It works once and is shown this once:`
      return redirectWith(deps, reply, account, { link: { sentence, url } })
    } catch (problem) {
      const { messages: errors, ...response } = faultMessages(problem)
      return sendAccountPage(deps, who, reply, { ...response, errors })
    }
  })
}

/** Ending the access of an application: asked first, because the application must ask again. */
function grantRoutes(app: FastifyInstance, deps: PagesDeps): void {
  const account = `${basePathOf(deps)}/account`
  app.get('/account/access/end', async (request, reply) => {
    const who = await requireSignedIn(deps, request, reply)
    if (!who) return reply
    const { application, team } = request.query as { application?: unknown; team?: unknown }
    const grants = await findGrantedApplications(deps, who.person.personId)
    const grant = grants.find(({ applicationId, teamId }) => applicationId === application && teamId === team)
    if (!grant) throw fault('grantUnknown')
    return sendConfirmation(deps, reply, {
      title: `End the access of ${grant.name}?`,
      sentence: `Its tokens for ${grant.teamName} end at once. To get access again it must ask you again.`,
      action: 'End access',
      path: `${account}/access/end`,
      keepPath: account,
      fields: { application: grant.applicationId, team: grant.teamId },
    })
  })
  app.post('/account/access/end', async (request, reply) => {
    const who = await requireSignedIn(deps, request, reply)
    if (!who) return reply
    const fields = readForm(request)
    const grant = { applicationId: fields.get('application') ?? '', teamId: fields.get('team') ?? '' }
    await revokeApplicationAccess(deps, who.person.personId, grant, request.ip)
    return redirectWith(deps, reply, account, { notice: 'Its access has ended.' })
  })
}

export function accountPageRoutes(app: FastifyInstance, deps: PagesDeps): void {
  operatorRoutes(app, deps)
  grantRoutes(app, deps)
  app.get('/account', async (request, reply) => {
    const who = await requireSignedIn(deps, request, reply)
    return who ? sendAccountPage(deps, who, reply, takeMessage(deps, request)) : reply
  })
  app.post('/account/sign-in-data', async (request, reply) => {
    const who = await requireSignedIn(deps, request, reply)
    if (!who) return reply
    try {
      await deps.changeSignIn(who, readSignInChange(readForm(request), openProfile(who.person, deps.keys)), request.ip)
      const person = await deps.store.accounts.person(who.person.personId)
      if (person) await rememberBrowser(deps, request, reply, { ...who, person })
    } catch (problem) {
      const { messages: errors, ...response } = faultMessages(problem)
      return sendAccountPage(deps, who, reply, { ...response, errors })
    }
    return redirectWith(deps, reply, `${basePathOf(deps)}/account`, {
      notice: 'Saved. You are signed out everywhere else.',
    })
  })
}
