import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { invitationUrl, invite, openInvitations, showInvitation, takeBack } from '#account/invitation.ts'
import { changeRole, membersOf, removeMember, roleIn } from '#account/member.ts'
import type { Holder } from '#account/privilege.ts'
import { scopesOf } from '#account/role.ts'
import { type Invitation, type Member, type Role, roles } from '#contract/account.ts'
import { fault } from '#contract/fault.ts'
import { fullDate } from '#kit/date.ts'
import { needSignedIn } from './account.ts'
import { basePathOf, type PagesWorld, readForm, show, tell } from './forms.ts'
import { html } from './html.ts'
import { roleMeanings } from './words.ts'

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

const inviting = (at: string, invitations: readonly Invitation[]) => html`
<h2>Invitations</h2>
<form method="post" action="${at}/invitation" class="card">
<label>Role<select name="role">${roles.map((role) => html`<option value="${role}"${role === 'editor' && html` selected`}>${roleMeanings[role]}</option>`)}</select></label>
<button>Make a link</button>
</form>
${invitations.length > 0 && html`<div class="card">${invitations.map((each) => invitationRow(at, each))}</div>`}`

type Seen = { teamId: string; role: Role; by: string }
type Said = { link?: string; wrong?: readonly string[]; status?: number; headers?: Record<string, string> }

/** The page of a team: its people, and for owners the invitations. Its address names the team. */
async function page(on: PagesWorld, { teamId, role }: Seen, reply: FastifyReply, said: Said = {}) {
  const base = basePathOf(on)
  const at = `${base}/account/team/${teamId}`
  const team = await on.store.team(teamId)
  const members = await membersOf(on, teamId)
  const isOwner = role === 'owner'
  const invitations = isOwner ? (await openInvitations(on, teamId)).map(showInvitation) : []
  const body = html`
<p><code>${teamId}</code> · <a href="${base}/account">Your account</a></p>
${said.wrong?.map((each) => html`<p class="wrong" role="alert">${each}</p>`)}
${said.link && html`<p class="told" role="status">Hand over this link. It works once and is shown this once:<br><code>${said.link}</code></p>`}
<h2>People</h2>
<div class="card">${members.length > 0 ? members.map((each) => memberRow(at, each, isOwner)) : html`<p>Nobody yet: invite somebody.</p>`}</div>
${isOwner && inviting(at, invitations)}`
  const { status = 200, headers = {} } = said
  return show(on, reply, { title: team?.name ?? teamId, body, isNarrow: false, status, headers })
}

/** Who looks at the team that the address names; another team's page is not there. */
async function seenBy(on: PagesWorld, request: FastifyRequest, reply: FastifyReply): Promise<Seen | undefined> {
  const who = await needSignedIn(on, request, reply)
  if (!who) return undefined
  const { teamId } = request.params as { teamId: string }
  const role = await roleIn(on, who.person, teamId)
  if (!role) throw fault('notFound')
  return { teamId, role, by: who.person.personId }
}

/** Who is signed in holds what their role in the team allows. */
const holderOf = ({ by, role }: Seen, { ip }: FastifyRequest): Holder => ({
  by,
  from: ip,
  held: new Set(scopesOf(role)),
})

type Act = (seen: Seen, fields: URLSearchParams, request: FastifyRequest) => Promise<Said>

const readRole = (fields: URLSearchParams): Role => {
  const role = roles.find((each) => each === fields.get('role'))
  if (!role) throw fault('badRequest', { message: `Choose one of ${roles.join(', ')}.` })
  return role
}

export function teamRoutes(app: FastifyInstance, on: PagesWorld): void {
  app.get('/account/team/:teamId', async (request, reply) => {
    const seen = await seenBy(on, request, reply)
    return seen ? page(on, seen, reply) : reply
  })
  /** A form of an owner. What is refused is told on the page. */
  const form = (path: string, act: Act) =>
    app.post(`/account/team/:teamId/${path}`, async (request, reply) => {
      const seen = await seenBy(on, request, reply)
      if (!seen) return reply
      if (seen.role !== 'owner') throw fault('notFound')
      try {
        return await page(on, seen, reply, await act(seen, readForm(request), request))
      } catch (problem) {
        const { messages: wrong, ...told } = tell(problem)
        return page(on, seen, reply, { ...told, wrong })
      }
    })
  form('invitation', async (seen, fields, request) => {
    const holder = { ...holderOf(seen, request), inviter: { personId: seen.by } }
    const { secret } = await invite(on, { teamId: seen.teamId, role: readRole(fields) }, holder)
    return { link: invitationUrl(on.baseUrl, secret) }
  })
  form('invitation/:invitationId', async (seen, _fields, request) => {
    const { invitationId } = request.params as { invitationId: string }
    await takeBack(on, seen.teamId, invitationId, holderOf(seen, request))
    return {}
  })
  form('member/:personId', async (seen, fields, request) => {
    const { teamId } = seen
    const { personId } = request.params as { personId: string }
    const holder = holderOf(seen, request)
    if (fields.get('do') === 'remove') await removeMember(on, teamId, personId, holder)
    else await changeRole(on, { teamId, personId, role: readRole(fields) }, holder)
    return {}
  })
}
