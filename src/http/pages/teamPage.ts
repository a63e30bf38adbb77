import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findOpenInvitations, invitationUrl, invite, revokeInvitation, showInvitation } from '#account/invitation.ts'
import { changeRole, findRole, readMembers, removeMember } from '#account/membership.ts'
import type { ScopeHolder } from '#account/privilege.ts'
import { roleScopes } from '#account/roleScopes.ts'
import { type Invitation, type Member, type Role, roles } from '#contract/account.ts'
import { fault } from '#contract/fault.ts'
import { fullDate } from '#kit/fullDate.ts'
import { requireSignedIn } from './accountPage.ts'
import {
  basePathOf,
  errorNotes,
  faultMessages,
  messageNotes,
  type PagesDeps,
  readForm,
  sendConfirmation,
  sendPage,
  teamPagePath,
  teamPathOf,
} from './accountPages.ts'
import { copyable, html } from './html.ts'
import { roleLabels } from './labels.ts'
import { type PageMessage, redirectWith, takeMessage } from './pageMessages.ts'

const roleOptions = (chosen: Role) =>
  roles.map((role) => html`<option value="${role}"${role === chosen && html` selected`}>${role}</option>`)

const memberRow = (at: string, { personId, name, email, role }: Member, isOwner: boolean) => html`
<div class="row"><span class="who">${name}<small>${email}</small></span>
${
  isOwner
    ? html`<span class="forms"><form method="post" action="${at}/member/${personId}">
<select name="role" aria-label="Role of ${name}">${roleOptions(role)}</select><button class="quiet">Change</button></form>
<form method="get" action="${at}/member/${personId}/remove"><button class="quiet" aria-label="Remove ${name}">Remove</button></form></span>`
    : html`<span>${role}</span>`
}</div>`

const invitationRow = (at: string, { invitationId, role, expiresAt }: Invitation) => html`
<div class="row"><span class="who">${role}<small>until ${fullDate(expiresAt)}</small></span>
<form method="get" action="${at}/invitation/${invitationId}/revoke"><button class="quiet">Revoke</button></form></div>`

const roleChoice = (role: Role) => html`
<label class="choice"><input type="radio" name="role" value="${role}"${role === 'editor' && html` checked`}><span>${roleLabels[role].name}<small>${roleLabels[role].says}</small></span></label>`

const invitationSection = (at: string, invitations: readonly Invitation[]) => html`
<h2>Invitations</h2>
<form method="post" action="${at}/invitation" class="card">
<fieldset><legend>Role of the person whom you invite</legend>${roles.map(roleChoice)}</fieldset>
<button>Make a link</button>
</form>
${invitations.length > 0 && html`<div class="card">${invitations.map((each) => invitationRow(at, each))}</div>`}`

type TeamPageViewer = { teamId: string; role: Role; by: string }
type TeamPageMessage = PageMessage & { errors?: readonly string[]; status?: number; headers?: Record<string, string> }

/** The page of a team: its members, and for owners the invitations. */
async function sendTeamPage(
  deps: PagesDeps,
  { teamId, role }: TeamPageViewer,
  reply: FastifyReply,
  message: TeamPageMessage = {},
) {
  const at = teamPagePath(deps, teamId)
  const team = await deps.store.team(teamId)
  const members = await readMembers(deps, teamId)
  const isOwner = role === 'owner'
  const invitations = isOwner ? (await findOpenInvitations(deps, teamId)).map(showInvitation) : []
  const body = html`
<p>Team ${copyable(teamId)}</p>
${messageNotes(message)}${errorNotes(message.errors ?? [])}
${deps.hasDashboard && html`<p><a class="button" href="${teamPathOf(deps, teamId)}">Open the dashboard</a></p>`}
<h2>People</h2>
<div class="card">${members.length > 0 ? members.map((each) => memberRow(at, each, isOwner)) : html`<p>Nobody yet: invite somebody.</p>`}</div>
${isOwner && invitationSection(at, invitations)}`
  const { status = 200, headers = {} } = message
  return sendPage(deps, reply, {
    title: team?.name ?? teamId,
    body,
    isNarrow: false,
    isSignedIn: true,
    status,
    headers,
  })
}

/** The person who views the team of the path. Throws notFound if they are not in the team. */
export async function findViewer(
  deps: PagesDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<TeamPageViewer | undefined> {
  const who = await requireSignedIn(deps, request, reply)
  if (!who) return undefined
  const { teamId } = request.params as { teamId: string }
  const role = await findRole(deps, who.person, teamId)
  if (!role) throw fault('notFound')
  return { teamId, role, by: who.person.personId }
}

/** A signed-in person holds the scopes of their role in the team. */
const toScopeHolder = ({ by, role }: TeamPageViewer, { ip }: FastifyRequest): ScopeHolder => ({
  by,
  from: ip,
  held: new Set(roleScopes(role)),
})

/** What a form did: the path and the message of the page that follows. */
type TeamFormResult = { path?: string; message?: PageMessage }
type TeamFormAction = (
  viewer: TeamPageViewer,
  fields: URLSearchParams,
  request: FastifyRequest,
) => Promise<TeamFormResult>

const readRole = (fields: URLSearchParams): Role => {
  const role = roles.find((each) => each === fields.get('role'))
  if (!role) throw fault('badRequest', { message: `Choose one of ${roles.join(', ')}.` })
  return role
}

/** The viewer, if they own the team. Throws notFound for everyone else. */
async function findOwner(deps: PagesDeps, request: FastifyRequest, reply: FastifyReply) {
  const viewer = await findViewer(deps, request, reply)
  if (viewer && viewer.role !== 'owner') throw fault('notFound')
  return viewer
}

/** Pages that ask before a person is removed or an invitation is revoked. */
function confirmationRoutes(app: FastifyInstance, deps: PagesDeps): void {
  app.get('/account/team/:teamId/member/:personId/remove', async (request, reply) => {
    const viewer = await findOwner(deps, request, reply)
    if (!viewer) return reply
    const { personId } = request.params as { personId: string }
    const member = (await readMembers(deps, viewer.teamId)).find((each) => each.personId === personId)
    if (!member) throw fault('memberUnknown')
    const at = teamPagePath(deps, viewer.teamId)
    return sendConfirmation(deps, reply, {
      title: `Remove ${member.name}?`,
      sentence:
        'The person leaves the team at once, and the access ends that they gave to applications. To come back they need a new invitation.',
      action: 'Remove',
      path: `${at}/member/${personId}/remove`,
      keepPath: at,
    })
  })
  app.get('/account/team/:teamId/invitation/:invitationId/revoke', async (request, reply) => {
    const viewer = await findOwner(deps, request, reply)
    if (!viewer) return reply
    const { invitationId } = request.params as { invitationId: string }
    const open = await findOpenInvitations(deps, viewer.teamId)
    if (!open.some((each) => each.invitationId === invitationId)) throw fault('invitationUnknown')
    const at = teamPagePath(deps, viewer.teamId)
    return sendConfirmation(deps, reply, {
      title: 'Revoke the invitation?',
      sentence: 'Its link no longer works. Whoever has it needs a new one.',
      action: 'Revoke',
      path: `${at}/invitation/${invitationId}/revoke`,
      keepPath: at,
    })
  })
}

const inviteFromForm =
  (deps: PagesDeps): TeamFormAction =>
  async (viewer, fields, request) => {
    const holder = { ...toScopeHolder(viewer, request), inviter: { personId: viewer.by } }
    const { secret } = await invite(deps, { teamId: viewer.teamId, role: readRole(fields) }, holder)
    const sentence = 'Hand over this link. It works once and is shown this once:'
    return { message: { link: { sentence, url: invitationUrl(deps.baseUrl, secret) } } }
  }

const removeFromForm =
  (deps: PagesDeps): TeamFormAction =>
  async (viewer, _fields, request) => {
    const { teamId, by } = viewer
    const { personId } = request.params as { personId: string }
    await removeMember(deps, teamId, personId, toScopeHolder(viewer, request))
    const message = { notice: 'The person is no longer in the team.' }
    if (personId !== by) return { message }
    return { path: `${basePathOf(deps)}/account`, message: { notice: 'You have left the team.' } }
  }

export function teamPageRoutes(app: FastifyInstance, deps: PagesDeps): void {
  app.get('/account/team/:teamId', async (request, reply) => {
    const viewer = await findViewer(deps, request, reply)
    return viewer ? sendTeamPage(deps, viewer, reply, takeMessage(deps, request)) : reply
  })
  confirmationRoutes(app, deps)
  /** Registers a form for owners. The page shows the message of a refusal. */
  const form = (path: string, act: TeamFormAction) =>
    app.post(`/account/team/:teamId/${path}`, async (request, reply) => {
      const viewer = await findOwner(deps, request, reply)
      if (!viewer) return reply
      try {
        const { path: next, message } = await act(viewer, readForm(request), request)
        return redirectWith(deps, reply, next ?? teamPagePath(deps, viewer.teamId), message)
      } catch (problem) {
        const { messages: errors, ...response } = faultMessages(problem)
        return sendTeamPage(deps, viewer, reply, { ...response, errors })
      }
    })
  form('invitation', inviteFromForm(deps))
  form('invitation/:invitationId/revoke', async (viewer, _fields, request) => {
    const { invitationId } = request.params as { invitationId: string }
    await revokeInvitation(deps, viewer.teamId, invitationId, toScopeHolder(viewer, request))
    return { message: { notice: 'The invitation is revoked.' } }
  })
  form('member/:personId/remove', removeFromForm(deps))
  form('member/:personId', async (viewer, fields, request) => {
    const { personId } = request.params as { personId: string }
    const role = readRole(fields)
    await changeRole(deps, { teamId: viewer.teamId, personId, role }, toScopeHolder(viewer, request))
    return { message: { notice: `The role is ${role} now.` } }
  })
}
