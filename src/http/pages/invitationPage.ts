import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptInvitation, findInvitation } from '#account/invitation.ts'
import { findRole } from '#account/membership.ts'
import { openProfile } from '#account/person.ts'
import type { Role } from '#contract/account.ts'
import { fault } from '#contract/fault.ts'
import type { InvitationRecord } from '#store/accounts.ts'
import {
  basePathOf,
  dashboardPathOf,
  errorNotes,
  faultMessages,
  findSignedIn,
  linkSecret,
  type PagesDeps,
  readForm,
  requireSignedIn,
  sendPage,
  startSession,
} from './accountPages.ts'
import { html } from './html.ts'

/** The name of a role, what it may do, and the first steps of its holder in a team. */
const roleLabels: Readonly<Record<Role, { name: string; says: string; next: readonly string[] }>> = {
  owner: {
    name: 'Owner',
    says: 'can do everything, including managing people and applications',
    next: [
      'Create a tag and connect a channel.',
      'Invite the others on the page Members.',
      'Register an application to call the API.',
    ],
  },
  editor: {
    name: 'Editor',
    says: 'works with tags, scripts and events',
    next: ['Create a tag and connect a channel.', 'Send a test event and see where it went.'],
  },
  viewer: {
    name: 'Viewer',
    says: 'reads everything and changes nothing',
    next: [
      'See the events of a tag and what happened to each.',
      'Ask an owner of the team for another role to change something.',
    ],
  },
}

type JoinForm = { name: string; email: string }

const signUpForm = ({ name, email }: JoinForm, signInPath: string) => html`
<form method="post" class="card">
<label>Your name<input name="name" autocomplete="name" required maxlength="200" value="${name}"></label>
<label>E-mail<input name="email" type="email" autocomplete="username" required maxlength="254" value="${email}"></label>
<label>A new password, at least 10 characters<input name="password" type="password" autocomplete="new-password" required minlength="10" maxlength="200"></label>
<button class="wide">Join</button>
</form>
<p>Already have an account? <a href="${signInPath}">Sign in</a> first.</p>`

const joinForm = (name: string) => html`
<form method="post" class="card"><p>You are signed in as ${name || 'the operator'}.</p><button class="wide">Join</button></form>`

async function describeInvitation(deps: PagesDeps, { teamId, role }: InvitationRecord) {
  const team = await deps.store.team(teamId)
  const title = `Join ${team?.name ?? 'the team'}`
  return { title, intro: html`<p>You are invited as ${role}: this role ${roleLabels[role].says}.</p>` }
}

const expiredNotice = html`<p>It has expired, or was accepted or revoked. Ask for a new one.</p>`

const joinedPath = (deps: PagesDeps, teamId: string) => `${basePathOf(deps)}/account/team/${teamId}/joined`

/** The page after joining: what the person can do in the team with their role. */
function joinedRoute(app: FastifyInstance, deps: PagesDeps): void {
  app.get('/account/team/:teamId/joined', async (request, reply) => {
    const who = await requireSignedIn(deps, request, reply)
    if (!who) return reply
    const { teamId } = request.params as { teamId: string }
    const role = await findRole(deps, who.person, teamId)
    if (!role) throw fault('notFound')
    const team = await deps.store.team(teamId)
    const { name, says, next } = roleLabels[role]
    const body = html`<p>Your role is ${name}: it ${says}.</p>
<h2>What you can do next</h2>
<ol class="next">${next.map((each) => html`<li>${each}</li>`)}</ol>
<p><a class="button" href="${dashboardPathOf(deps)}/${teamId}">Open the dashboard</a></p>`
    return sendPage(deps, reply, { title: `You are in ${team?.name ?? teamId}`, body, isSignedIn: true })
  })
}

/** The page where an invited person joins a team, with the account they are signed in with or a new one. */
export function invitationPageRoutes(app: FastifyInstance, deps: PagesDeps): void {
  joinedRoute(app, deps)
  const base = basePathOf(deps)
  async function page(
    request: FastifyRequest,
    reply: FastifyReply,
    values?: JoinForm,
    problem?: ReturnType<typeof faultMessages>,
  ) {
    const invitation = await findInvitation(deps, linkSecret(request))
    if (!invitation) return sendPage(deps, reply, { title: 'Invitation not found', status: 410, body: expiredNotice })
    const who = await findSignedIn(deps, request)
    const next = encodeURIComponent(`${base}/account/invitation/${linkSecret(request)}`)
    const form = who
      ? joinForm(openProfile(who.person, deps.keys).name)
      : signUpForm(values ?? { name: '', email: '' }, `${base}/account/sign-in?next=${next}`)
    const { title, intro } = await describeInvitation(deps, invitation)
    const body = html`${intro}${errorNotes(problem?.messages ?? [])}${form}`
    const { status, headers } = problem ?? {}
    return sendPage(deps, reply, { title, body, ...(status && { status }), ...(headers && { headers }) })
  }
  app.get('/account/invitation/:secret', (request, reply) => page(request, reply))
  app.post('/account/invitation/:secret', async (request, reply) => {
    const fields = readForm(request)
    const field = (name: string) => fields.get(name) ?? ''
    const who = await findSignedIn(deps, request)
    try {
      if (who) {
        const teamId = await acceptInvitation(deps, linkSecret(request), who.person, request.ip)
        return reply.redirect(joinedPath(deps, teamId), 303)
      }
      const signUp = { name: field('name'), email: field('email'), password: field('password') }
      const { teamId, session } = await deps.trySignUp(linkSecret(request), signUp, request.ip)
      await startSession(deps, request, reply, session.secret)
      return reply.redirect(joinedPath(deps, teamId), 303)
    } catch (problem) {
      return page(request, reply, { name: field('name'), email: field('email') }, faultMessages(problem))
    }
  })
}
