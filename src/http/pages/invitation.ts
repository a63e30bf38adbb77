import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptInvitation, invitationOf } from '#account/invitation.ts'
import { profileOf } from '#account/person.ts'
import type { Invitation } from '#store/accounts.ts'
import { basePathOf, keepSession, type PagesWorld, readForm, show, signedIn, tell } from './forms.ts'
import { type Html, html } from './html.ts'
import { roleMeanings } from './words.ts'

type Said = { name: string; email: string }

const newHere = ({ name, email }: Said, signInPath: string) => html`
<form method="post" class="card">
<label>Your name<input name="name" autocomplete="name" required maxlength="200" value="${name}"></label>
<label>E-mail<input name="email" type="email" autocomplete="username" required maxlength="254" value="${email}"></label>
<label>A new password, at least 10 characters<input name="password" type="password" autocomplete="new-password" required minlength="10" maxlength="200"></label>
<button class="wide">Join</button>
</form>
<p>You have an account already? <a href="${signInPath}">Sign in</a> first.</p>`

const knownHere = (name: string) => html`
<form method="post" class="card"><p>You are signed in as ${name || 'the operator'}.</p><button class="wide">Join</button></form>`

const wrongList = (messages: readonly string[]): Html =>
  html`${messages.map((each) => html`<p class="wrong" role="alert">${each}</p>`)}`

async function offer(on: PagesWorld, { teamId, role }: Invitation) {
  const team = await on.store.team(teamId)
  const title = `Join ${team?.name ?? 'the team'}`
  return { title, intro: html`<p>You are invited. ${roleMeanings[role]}.</p>` }
}

const gone = html`<p>It was accepted, taken back or has expired. Ask for a new one.</p>`

/** Where an invited person joins a team: with the account they are signed in with, or a new one. */
export function invitationRoutes(app: FastifyInstance, on: PagesWorld): void {
  const secretOf = ({ params }: FastifyRequest) => (params as { secret: string }).secret
  const base = basePathOf(on)
  async function page(request: FastifyRequest, reply: FastifyReply, said?: Said, problem?: ReturnType<typeof tell>) {
    const invitation = await invitationOf(on, secretOf(request))
    if (!invitation) return show(on, reply, { title: 'No such invitation', status: 410, body: gone })
    const who = await signedIn(on, request)
    const next = encodeURIComponent(`${base}/account/invitation/${secretOf(request)}`)
    const form = who
      ? knownHere(profileOf(who.person, on.keys).name)
      : newHere(said ?? { name: '', email: '' }, `${base}/account/sign-in?next=${next}`)
    const { title, intro } = await offer(on, invitation)
    const body = html`${intro}${wrongList(problem?.messages ?? [])}${form}`
    const { status, headers } = problem ?? {}
    return show(on, reply, { title, body, ...(status && { status }), ...(headers && { headers }) })
  }
  app.get('/account/invitation/:secret', (request, reply) => page(request, reply))
  app.post('/account/invitation/:secret', async (request, reply) => {
    const fields = readForm(request)
    const field = (name: string) => fields.get(name) ?? ''
    const who = await signedIn(on, request)
    try {
      if (who) {
        const teamId = await acceptInvitation(on, secretOf(request), who.person, request.ip)
        return reply.redirect(`${base}/account/team/${teamId}`, 303)
      }
      const signUp = { name: field('name'), email: field('email'), password: field('password') }
      const { teamId, session } = await on.trySignUp(secretOf(request), signUp, request.ip)
      return keepSession(on, reply, session.secret).redirect(`${base}/account/team/${teamId}`, 303)
    } catch (problem) {
      return page(request, reply, { name: field('name'), email: field('email') }, tell(problem))
    }
  })
}
