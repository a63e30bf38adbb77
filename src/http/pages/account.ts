import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { approveApplication } from '#account/application.ts'
import { endAccess, type Granted, grantedBy } from '#account/granted.ts'
import { type Membership, membershipsOf } from '#account/member.ts'
import { profileOf } from '#account/person.ts'
import { changeSignIn, type SignedIn } from '#account/session.ts'
import { fault } from '#contract/fault.ts'
import type { Application } from '#store/accounts.ts'
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

const teamRow = (base: string, { teamId, name, role }: Membership) => html`
<div class="row"><span class="who"><a href="${base}/account/team/${teamId}">${name}</a><small>${teamId}</small></span><span>${role}</span></div>`

const pendingRow = (base: string, { applicationId, name, teamId, scopes, redirectUris }: Application) => html`
<div class="row"><span class="who">${name}<small>${applicationId} of ${teamId}</small><small>${scopes.join(', ')}</small>
${redirectUris.map((uri) => html`<small>${uri}</small>`)}</span>
<form method="post" action="${base}/account/application/${applicationId}/approve"><button class="quiet">Approve</button></form></div>`

const grantRow = (base: string, { applicationId, name, teamId, teamName }: Granted) => html`
<div class="row"><span class="who">${name}<small>for ${teamName}</small></span>
<form method="post" action="${base}/account/access/end"><input type="hidden" name="application" value="${applicationId}">
<input type="hidden" name="team" value="${teamId}"><button class="quiet">End access</button></form></div>`

const signInCard = (base: string, { name, email = '' }: { name: string; email?: string }) => html`
<h2>Your sign-in</h2>
<form method="post" action="${base}/account/sign-in-data" class="card">
<label>Name<input name="name" autocomplete="name" required maxlength="200" value="${name}"></label>
<label>E-mail<input name="email" type="email" autocomplete="username" required maxlength="254" value="${email}"></label>
<label>A new password, at least 10 characters<input name="password" type="password" autocomplete="new-password" required minlength="10" maxlength="200"></label>
<button>Save</button>
</form>`

type Said = { told?: string; wrong?: readonly string[]; status?: number }

/** The page of a person: their teams, what they sign in with, and for the operator what waits for approval. */
async function home(
  on: PagesWorld,
  { person }: SignedIn,
  reply: FastifyReply,
  { told, wrong = [], status = 200 }: Said = {},
) {
  const base = basePathOf(on)
  const teams = await membershipsOf(on, person)
  const pending = person.role === 'operator' ? await on.store.accounts.unapproved() : []
  const granted = await grantedBy(on, person.personId)
  const profile = profileOf(person, on.keys)
  const body = html`
${told && html`<p class="told" role="status">${told}</p>`}
${wrong.map((each) => html`<p class="wrong" role="alert">${each}</p>`)}
<h2>Teams</h2>
<div class="card">${teams.length > 0 ? teams.map((team) => teamRow(base, team)) : html`<p>You are in no team.</p>`}</div>
${pending.length > 0 && html`<h2>Applications that wait for approval</h2><div class="card">${pending.map((each) => pendingRow(base, each))}</div>`}
${granted.length > 0 && html`<h2>Applications with your access</h2><div class="card">${granted.map((each) => grantRow(base, each))}</div>`}
${signInCard(base, profile)}
<form method="post" action="${base}/account/sign-out"><button class="quiet">Sign out</button></form>`
  return show(on, reply, { title: profile.name || 'Your account', status, body, isNarrow: false })
}

export function accountRoutes(app: FastifyInstance, on: PagesWorld): void {
  app.get('/account', async (request, reply) => {
    const who = await needSignedIn(on, request, reply)
    return who ? home(on, who, reply) : reply
  })
  app.post('/account/sign-in-data', async (request, reply) => {
    const who = await needSignedIn(on, request, reply)
    if (!who) return reply
    const fields = readForm(request)
    const field = (name: string) => fields.get(name) ?? ''
    const signUp = { name: field('name'), email: field('email'), password: field('password') }
    try {
      await changeSignIn(on, who, signUp, request.ip)
    } catch (problem) {
      const { status, messages } = tell(problem)
      return home(on, who, reply, { status, wrong: messages })
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
  app.post('/account/application/:applicationId/approve', async (request, reply) => {
    const who = await needSignedIn(on, request, reply)
    if (!who) return reply
    if (who.person.role !== 'operator') throw fault('notFound')
    const { applicationId } = request.params as { applicationId: string }
    await approveApplication(on, applicationId, { by: who.person.personId, from: request.ip })
    return reply.redirect(`${basePathOf(on)}/account`, 303)
  })
}
