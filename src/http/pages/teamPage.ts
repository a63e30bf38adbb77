import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findOpenInvitations, invitationUrl, invite, revokeInvitation, showInvitation } from '#account/invitation.ts'
import { changeRole, findRole, readMembers, removeMember } from '#account/membership.ts'
import type { ScopeHolder } from '#account/privilege.ts'
import { roleScopes } from '#account/roleScopes.ts'
import { type Invitation, type Member, type Role, roles } from '#contract/account.ts'
import { fault } from '#contract/fault.ts'
import { fullDate } from '#kit/fullDate.ts'
import { requireSignedIn } from './accountPage.ts'
import { basePathOf, faultMessages, type PagesDeps, readForm, sendPage } from './accountPages.ts'
import { html } from './html.ts'
import { roleLabels } from './labels.ts'

const roleOptions = (chosen: Role) =>
  roles.map((role) => html`<option value="${role}"${role === chosen && html` selected`}>${role}</option>`)

const memberRow = (at: string, { personId, name, email, role }: Member, isOwner: boolean) => html`
<div class="row"><span class="who">${name}<small>${email}</small></span>
${
  isOwner
    ? html`<form method="post" action="${at}/member/${personId}">
<select name="role" aria-label="Role of ${name}">${roleOptions(role)}</select>
<button class="quiet" name="do" value="change">Change</button><button class="quiet" name="do" value="remove">Remove</button></form>`
    : html`<span>${role}</span>`
}</div>`

const invitationRow = (at: string, { invitationId, role, expiresAt }: Invitation) => html`
<div class="row"><span class="who">${role}<small>until ${fullDate(expiresAt)}</small></span>
<form method="post" action="${at}/invitation/${invitationId}"><button class="quiet">Take back</button></form></div>`

const invitationSection = (at: string, invitations: readonly Invitation[]) => html`
<h2>Invitations</h2>
<form method="post" action="${at}/invitation" class="card">
<label>Role<select name="role">${roles.map((role) => html`<option value="${role}"${role === 'editor' && html` selected`}>${roleLabels[role]}</option>`)}</select></label>
<button>Make a link</button>
</form>
${invitations.length > 0 && html`<div class="card">${invitations.map((each) => invitationRow(at, each))}</div>`}`

type TeamPageViewer = { teamId: string; role: Role; by: string }
type TeamPageMessage = { link?: string; errors?: readonly string[]; status?: number; headers?: Record<string, string> }

/** The page of a team: its members, and for owners the invitations. */
async function sendTeamPage(
  deps: PagesDeps,
  { teamId, role }: TeamPageViewer,
  reply: FastifyReply,
  message: TeamPageMessage = {},
) {
  const base = basePathOf(deps)
  const at = `${base}/account/team/${teamId}`
  const team = await deps.store.team(teamId)
  const members = await readMembers(deps, teamId)
  const isOwner = role === 'owner'
  const invitations = isOwner ? (await findOpenInvitations(deps, teamId)).map(showInvitation) : []
  const body = html`
<p><code>${teamId}</code> · <a href="${base}/account">Your account</a></p>
${message.errors?.map((each) => html`<p class="error" role="alert">${each}</p>`)}
${message.link && html`<p class="notice" role="status">Hand over this link. It works once and is shown this once:<br><code>${message.link}</code></p>`}
<h2>People</h2>
<div class="card">${members.length > 0 ? members.map((each) => memberRow(at, each, isOwner)) : html`<p>Nobody yet: invite somebody.</p>`}</div>
${isOwner && invitationSection(at, invitations)}`
  const { status = 200, headers = {} } = message
  return sendPage(deps, reply, { title: team?.name ?? teamId, body, isNarrow: false, status, headers })
}

/** The person who views the team of the path. Throws notFound if they are not in the team. */
async function findViewer(
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

type TeamFormAction = (
  viewer: TeamPageViewer,
  fields: URLSearchParams,
  request: FastifyRequest,
) => Promise<TeamPageMessage>

const readRole = (fields: URLSearchParams): Role => {
  const role = roles.find((each) => each === fields.get('role'))
  if (!role) throw fault('badRequest', { message: `Choose one of ${roles.join(', ')}.` })
  return role
}

export function teamPageRoutes(app: FastifyInstance, deps: PagesDeps): void {
  app.get('/account/team/:teamId', async (request, reply) => {
    const viewer = await findViewer(deps, request, reply)
    return viewer ? sendTeamPage(deps, viewer, reply) : reply
  })
  /** Registers a form for owners. The page shows the message of a refusal. */
  const form = (path: string, act: TeamFormAction) =>
    app.post(`/account/team/:teamId/${path}`, async (request, reply) => {
      const viewer = await findViewer(deps, request, reply)
      if (!viewer) return reply
      if (viewer.role !== 'owner') throw fault('notFound')
      try {
        return await sendTeamPage(deps, viewer, reply, await act(viewer, readForm(request), request))
      } catch (problem) {
        const { messages: errors, ...response } = faultMessages(problem)
        return sendTeamPage(deps, viewer, reply, { ...response, errors })
      }
    })
  form('invitation', async (viewer, fields, request) => {
    const holder = { ...toScopeHolder(viewer, request), inviter: { personId: viewer.by } }
    const { secret } = await invite(deps, { teamId: viewer.teamId, role: readRole(fields) }, holder)
    return { link: invitationUrl(deps.baseUrl, secret) }
  })
  form('invitation/:invitationId', async (viewer, _fields, request) => {
    const { invitationId } = request.params as { invitationId: string }
    await revokeInvitation(deps, viewer.teamId, invitationId, toScopeHolder(viewer, request))
    return {}
  })
  form('member/:personId', async (viewer, fields, request) => {
    const { teamId } = viewer
    const { personId } = request.params as { personId: string }
    const holder = toScopeHolder(viewer, request)
    if (fields.get('do') === 'remove') await removeMember(deps, teamId, personId, holder)
    else await changeRole(deps, { teamId, personId, role: readRole(fields) }, holder)
    return {}
  })
}
