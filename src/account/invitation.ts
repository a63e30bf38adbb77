import { type Role, roles, type Invitation as ShownInvitation } from '#contract/account.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { fullDate } from '#kit/date.ts'
import { newId } from '#kit/id.ts'
import type { Invitation, Person } from '#store/accounts.ts'
import { type Change, Conflict } from '#store/store.ts'
import { type Inviter, mayStillInvite } from './inviter.ts'
import { mintSecret, secretHash } from './oneTime.ts'
import { type NewPersonDeps, newPerson, refuseTakenEmail, type SignUp } from './person.ts'
import { type Holder, refuseEscalation } from './privilege.ts'
import { scopesOf } from './role.ts'
import { type NewSession, newSession } from './session.ts'
import { parseDuration } from './token.ts'
import { type AccountWorld, auditOf } from './world.ts'

const dayMs = 86_400_000

function readLife(expires: string): number {
  const lifeMs = parseDuration(expires)
  if (lifeMs >= 60_000 && lifeMs <= 30 * dayMs) return lifeMs
  throw badRequest({ path: 'expires', message: 'must be from 1m to 30d' })
}

export const showInvitation = ({ invitationId, role, createdAt, expiresAt }: Invitation): ShownInvitation => ({
  invitationId,
  role,
  createdAt: fullDate(createdAt),
  expiresAt,
})

/**
 * Makes a link by which one person joins a team; `secret` is in it and is kept as a hash. Throws scopeMissing for a role
 * that may do more than the holder, badRequest for a life that is no duration or longer than 30 days.
 */
export async function invite(
  on: AccountWorld,
  { teamId, role, expires = '7d' }: { teamId: string; role: Role; expires?: string },
  { inviter = {}, ...holder }: Holder & { inviter?: Inviter },
): Promise<{ invitation: Invitation; secret: string }> {
  await refuseEscalation(on, scopesOf(role), holder, { what: 'createInvitation', teamId })
  const createdAt = on.clock.now()
  const expiresAt = createdAt + readLife(expires)
  const secret = mintSecret()
  const hash = secretHash(on.keys, 'invitation', secret)
  const invitationId = newId('inv', createdAt)
  const invitation = { invitationId, teamId, role, hash, by: holder.by, ...inviter, createdAt, expiresAt }
  await on.store.write([
    { account: { sweep: 'invitation', before: createdAt } },
    { account: { add: 'invitation', row: invitation } },
    auditOf(on, holder, { what: 'createInvitation', teamId, object: invitationId, after: { role } }),
  ])
  return { invitation, secret }
}

/** The address of an invitation. `baseUrl` ends with the version segment. */
export const invitationUrl = (baseUrl: string, secret: string) => `${baseUrl}/account/invitation/${secret}`

/** The secret of a link that was handed over: of the whole address, or by itself. */
export const secretIn = (text: string): string => text.trim().slice(text.trim().lastIndexOf('/') + 1)

/** Not expired, and whoever made it could still make it. */
const isOpen = async (invitation: Invitation, on: AccountWorld) =>
  invitation.expiresAt > on.clock.now() && (await mayStillInvite(on, invitation))

/** The invitations of a team that can still be accepted. */
export async function openInvitations(on: AccountWorld, teamId: string): Promise<Invitation[]> {
  const invitations = await on.store.accounts.invitations(teamId)
  const open = await Promise.all(invitations.map((each) => isOpen(each, on)))
  return invitations.filter((_, at) => open[at])
}

/** The invitation of a link, while it can be accepted. */
export async function invitationOf(on: AccountWorld, secret: string): Promise<Invitation | undefined> {
  const invitation = await on.store.accounts.invitation(secretHash(on.keys, 'invitation', secret))
  return invitation && (await isOpen(invitation, on)) ? invitation : undefined
}

/** Throws invitationUnknown, and scopeMissing for a role that may do more than the holder. */
export async function takeBack(on: AccountWorld, teamId: string, invitationId: string, holder: Holder): Promise<void> {
  const invitations = await openInvitations(on, teamId)
  const invitation = invitations.find((each) => each.invitationId === invitationId)
  if (!invitation) throw fault('invitationUnknown')
  const attempt = { what: 'deleteInvitation', teamId, object: invitationId }
  await refuseEscalation(on, scopesOf(invitation.role), holder, attempt)
  await on.store.write([
    { account: { drop: 'invitation', invitationId } },
    auditOf(on, holder, { ...attempt, before: { role: invitation.role } }),
  ])
}

/** Of two roles the one that may do more: who is in the team already loses nothing by an invitation. */
const better = (one: Role, other: Role | undefined): Role =>
  other && roles.indexOf(other) < roles.indexOf(one) ? other : one

async function joining(on: AccountWorld, { teamId, role }: Invitation, personId: string): Promise<Change> {
  const member = await on.store.accounts.member(teamId, personId)
  const createdAt = member?.createdAt ?? on.clock.now()
  return { account: { put: 'member', row: { teamId, personId, role: better(role, member?.role), createdAt } } }
}

/** Joins the team of a link, which then is used up. Throws invitationUnknown and emailTaken. */
async function join(on: AccountWorld, secret: string, person: Person, made: Change[], from: string) {
  const invitation = await invitationOf(on, secret)
  if (!invitation) throw fault('invitationUnknown')
  const { invitationId, teamId, hash, expiresAt, role } = invitation
  const { personId } = person
  const change = { what: 'acceptInvitation', teamId, object: personId, after: { role, invitationId } }
  try {
    await on.store.write([
      { account: { use: 'once', hash, expiresAt } },
      { account: { drop: 'invitation', invitationId } },
      ...made,
      await joining(on, invitation, personId),
      auditOf(on, { by: personId, from }, change),
    ])
  } catch (error) {
    if (error instanceof Conflict && error.unique === 'used') throw fault('invitationUnknown')
    refuseTakenEmail(error)
  }
  return teamId
}

/** Somebody who is signed in joins the team: its id. Throws invitationUnknown. */
export const acceptInvitation = (on: AccountWorld, secret: string, person: Person, from: string): Promise<string> =>
  join(on, secret, person, [], from)

/** Somebody new joins the team, and is signed in. Throws badRequest, invitationUnknown, emailTaken and overloaded. */
export async function signUpByInvitation(
  on: AccountWorld & NewPersonDeps,
  secret: string,
  signUp: SignUp,
  from: string,
): Promise<{ teamId: string; session: NewSession }> {
  if (!(await invitationOf(on, secret))) throw fault('invitationUnknown')
  const person = await newPerson(signUp, on, from)
  const { session, changes } = newSession(on, person.personId)
  const made: Change[] = [{ add: 'person', row: person }, ...changes]
  return { teamId: await join(on, secret, person, made, from), session }
}
