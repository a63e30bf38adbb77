import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { approveApplication } from '#account/application.ts'
import type { SignInChange } from '#account/changeSignIn.ts'
import { makeEmailLink, newEmailOf, waitingEmails } from '#account/emailChange.ts'
import { endAccess, grantedBy } from '#account/granted.ts'
import { membershipsOf } from '#account/member.ts'
import { profileOf } from '#account/person.ts'
import type { SignedIn } from '#account/session.ts'
import { fault } from '#contract/fault.ts'
import { grantedCard, pendingCard, signInCard, teamsCard, waitingCard } from './accountCards.ts'
import { basePathOf, type PagesWorld, readForm, show, signedIn, tell } from './forms.ts'
import { html } from './html.ts'

/** Who is signed in; whoever is not is sent to sign in first, and comes back. */
export async function needSignedIn(on: PagesWorld, request: FastifyRequest, reply: FastifyReply) {
  const who = await signedIn(on, request)
  if (who) return who
  const next = request.method === 'GET' ? request.url : `${basePathOf(on)}/account`
  reply.redirect(`${basePathOf(on)}/account/sign-in?next=${encodeURIComponent(next)}`, 303)
  return undefined
}

type Said = {
  told?: string
  /** shown this once */
  link?: { url: string; newEmail: string }
  wrong?: readonly string[]
  status?: number
  headers?: Record<string, string>
}

const linkNote = ({ url, newEmail }: NonNullable<Said['link']>) => html`
<p class="told" role="status">Send this link to ${newEmail} and nowhere else. It works once and is shown this once:<br><code>${url}</code></p>`

/** The page of a person: their teams, what they sign in with, and for the operator what waits for them. */
async function home(on: PagesWorld, { person }: SignedIn, reply: FastifyReply, said: Said = {}) {
  const base = basePathOf(on)
  const { personId } = person
  const teams = await membershipsOf(on, person)
  const isOperator = person.role === 'operator'
  const pending = isOperator ? await on.store.accounts.unapproved() : []
  const waiting = isOperator ? await waitingEmails(on) : []
  const granted = await grantedBy(on, personId)
  const profile = profileOf(person, on.keys)
  const newEmail = await newEmailOf(on, personId)
  const hasPassword = person.password !== undefined
  const { told, link, wrong = [], status = 200, headers = {} } = said
  const body = html`
${told && html`<p class="told" role="status">${told}</p>`}${link && linkNote(link)}
${wrong.map((each) => html`<p class="wrong" role="alert">${each}</p>`)}
${teamsCard(base, teams)}${pendingCard(base, pending)}${waitingCard(base, waiting)}${grantedCard(base, granted)}
${signInCard(base, { ...profile, hasPassword, ...(newEmail !== undefined && { newEmail }) })}
<form method="post" action="${base}/account/sign-out"><button class="quiet">Sign out</button></form>`
  return show(on, reply, { title: profile.name || 'Your account', status, headers, body, isNarrow: false })
}

/** What the form changes: an e-mail that is the person's already, and a password that is left blank, are no change. */
function changeIn(fields: URLSearchParams, { email }: { email?: string }): SignInChange {
  const [wanted = '', password = '', currentPassword = ''] = ['email', 'password', 'currentPassword'].map(
    (name) => fields.get(name) ?? '',
  )
  return {
    name: fields.get('name') ?? '',
    ...(wanted !== email && { email: wanted }),
    ...(password !== '' && { password }),
    ...(currentPassword !== '' && { currentPassword }),
  }
}

function operatorRoutes(app: FastifyInstance, on: PagesWorld): void {
  /** A form of the operator; for everybody else it is not there. */
  async function needOperator(request: FastifyRequest, reply: FastifyReply): Promise<SignedIn | undefined> {
    const who = await needSignedIn(on, request, reply)
    if (who && who.person.role !== 'operator') throw fault('notFound')
    return who
  }
  app.post('/account/application/:applicationId/approve', async (request, reply) => {
    const who = await needOperator(request, reply)
    if (!who) return reply
    const { applicationId } = request.params as { applicationId: string }
    await approveApplication(on, applicationId, { by: who.person.personId, from: request.ip })
    return reply.redirect(`${basePathOf(on)}/account`, 303)
  })
  app.post('/account/email-change/:personId', async (request, reply) => {
    const who = await needOperator(request, reply)
    if (!who) return reply
    const { personId } = request.params as { personId: string }
    try {
      const asked = { baseUrl: on.baseUrl, personId }
      return home(on, who, reply, {
        link: await makeEmailLink(on, asked, { by: who.person.personId, from: request.ip }),
      })
    } catch (problem) {
      const { messages: wrong, ...told } = tell(problem)
      return home(on, who, reply, { ...told, wrong })
    }
  })
}

export function accountRoutes(app: FastifyInstance, on: PagesWorld): void {
  operatorRoutes(app, on)
  app.get('/account', async (request, reply) => {
    const who = await needSignedIn(on, request, reply)
    return who ? home(on, who, reply) : reply
  })
  app.post('/account/sign-in-data', async (request, reply) => {
    const who = await needSignedIn(on, request, reply)
    if (!who) return reply
    try {
      await on.changeSignIn(who, changeIn(readForm(request), profileOf(who.person, on.keys)), request.ip)
    } catch (problem) {
      const { messages: wrong, ...told } = tell(problem)
      return home(on, who, reply, { ...told, wrong })
    }
    const person = (await on.store.accounts.person(who.person.personId))!
    return home(on, { ...who, person }, reply, { told: 'Saved. You are signed out everywhere else.' })
  })
  app.post('/account/access/end', async (request, reply) => {
    const who = await needSignedIn(on, request, reply)
    if (!who) return reply
    const fields = readForm(request)
    const meant = { applicationId: fields.get('application') ?? '', teamId: fields.get('team') ?? '' }
    await endAccess(on, who.person.personId, meant, request.ip)
    return home(on, who, reply, { told: 'Its access has ended.' })
  })
}
