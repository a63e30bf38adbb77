import { type Role, roles, type Invitation as ShownInvitation } from '#contract/account.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { fullDate } from '#kit/fullDate.ts'
import { newId } from '#kit/id.ts'
import type { InvitationRecord, PersonRecord } from '#store/accounts.ts'
import { Conflict, type StoreChange } from '#store/store.ts'
import { type AccountDeps, auditChange } from './accountDeps.ts'
import { type Inviter, mayStillInvite } from './inviter.ts'
import { generateSecret, hashSecret } from './oneTimeSecret.ts'
import { createPersonRecord, type NewPersonDeps, refuseTakenEmail, type SignUp } from './person.ts'
import { refuseEscalation, type ScopeHolder } from './privilege.ts'
import { roleScopes } from './roleScopes.ts'
import { createSession, type NewSession } from './session.ts'
import { parseDuration } from './token.ts'

const dayMs = 86_400_000

function parseLifetime(expires: string): number {
  const lifeMs = parseDuration(expires)
  if (lifeMs >= 60_000 && lifeMs <= 30 * dayMs) return lifeMs
  throw badRequest({ path: 'expires', message: 'must be from 1m to 30d' })
}

export const showInvitation = ({ invitationId, role, createdAt, expiresAt }: InvitationRecord): ShownInvitation => ({
  invitationId,
  role,
  createdAt: fullDate(createdAt),
  expiresAt,
})

/**
 * Makes an invitation by which one person joins a team. `secret` is for its link and is stored as a hash. Throws
 * scopeMissing for a role with scopes that the holder lacks, badRequest unless `expires` is a duration from 1m to 30d.
 */
export async function invite(
  deps: AccountDeps,
  { teamId, role, expires = '7d' }: { teamId: string; role: Role; expires?: string },
  { inviter = {}, ...holder }: ScopeHolder & { inviter?: Inviter },
): Promise<{ invitation: InvitationRecord; secret: string }> {
  await refuseEscalation(deps, roleScopes(role), holder, { what: 'createInvitation', teamId })
  const createdAt = deps.clock.now()
  const expiresAt = createdAt + parseLifetime(expires)
  const secret = generateSecret()
  const hash = hashSecret(deps.keys, 'invitation', secret)
  const invitationId = newId('inv', createdAt)
  const invitation = { invitationId, teamId, role, hash, by: holder.by, ...inviter, createdAt, expiresAt }
  await deps.store.write([
    { account: { sweep: 'invitation', before: createdAt } },
    { account: { add: 'invitation', row: invitation } },
    auditChange(deps, holder, { what: 'createInvitation', teamId, object: invitationId, after: { role } }),
  ])
  return { invitation, secret }
}

/** The link of an invitation. `baseUrl` ends with the version segment. */
export const invitationUrl = (baseUrl: string, secret: string) => `${baseUrl}/account/invitation/${secret}`

/** The secret of a link, given as the whole URL or only the secret. */
export const parseLinkSecret = (text: string): string => text.trim().slice(text.trim().lastIndexOf('/') + 1)

/** True if it has not expired and its inviter could still make it. */
const isOpen = async (invitation: InvitationRecord, deps: AccountDeps) =>
  invitation.expiresAt > deps.clock.now() && (await mayStillInvite(deps, invitation))

/** The invitations of a team that can still be accepted. */
export async function findOpenInvitations(deps: AccountDeps, teamId: string): Promise<InvitationRecord[]> {
  const invitations = await deps.store.accounts.invitations(teamId)
  const open = await Promise.all(invitations.map((each) => isOpen(each, deps)))
  return invitations.filter((_, at) => open[at])
}

/** The invitation of a link, if it can still be accepted. */
export async function findInvitation(deps: AccountDeps, secret: string): Promise<InvitationRecord | undefined> {
  const invitation = await deps.store.accounts.invitation(hashSecret(deps.keys, 'invitation', secret))
  return invitation && (await isOpen(invitation, deps)) ? invitation : undefined
}

/** Throws invitationUnknown, and scopeMissing for a role with scopes that the holder lacks. */
export async function revokeInvitation(
  deps: AccountDeps,
  teamId: string,
  invitationId: string,
  holder: ScopeHolder,
): Promise<void> {
  const invitations = await findOpenInvitations(deps, teamId)
  const invitation = invitations.find((each) => each.invitationId === invitationId)
  if (!invitation) throw fault('invitationUnknown')
  const attempt = { what: 'deleteInvitation', teamId, object: invitationId }
  await refuseEscalation(deps, roleScopes(invitation.role), holder, attempt)
  await deps.store.write([
    { account: { drop: 'invitation', invitationId } },
    auditChange(deps, holder, { ...attempt, before: { role: invitation.role } }),
  ])
}

/** The role with more scopes, so that a member does not lose scopes by accepting an invitation. */
const higherRole = (one: Role, other: Role | undefined): Role =>
  other && roles.indexOf(other) < roles.indexOf(one) ? other : one

async function membershipChange(
  deps: AccountDeps,
  { teamId, role }: InvitationRecord,
  personId: string,
): Promise<StoreChange> {
  const member = await deps.store.accounts.member(teamId, personId)
  const createdAt = member?.createdAt ?? deps.clock.now()
  return { account: { put: 'member', row: { teamId, personId, role: higherRole(role, member?.role), createdAt } } }
}

/** Joins the team of an invitation and uses it up. Throws invitationUnknown and emailTaken. */
async function joinTeam(deps: AccountDeps, secret: string, person: PersonRecord, changes: StoreChange[], from: string) {
  const invitation = await findInvitation(deps, secret)
  if (!invitation) throw fault('invitationUnknown')
  const { invitationId, teamId, hash, expiresAt, role } = invitation
  const { personId } = person
  const change = { what: 'acceptInvitation', teamId, object: personId, after: { role, invitationId } }
  try {
    await deps.store.write([
      { account: { use: 'once', hash, expiresAt } },
      { account: { drop: 'invitation', invitationId } },
      ...changes,
      await membershipChange(deps, invitation, personId),
      auditChange(deps, { by: personId, from }, change),
    ])
  } catch (error) {
    if (error instanceof Conflict && error.unique === 'used') throw fault('invitationUnknown')
    refuseTakenEmail(error)
  }
  return teamId
}

/** Adds a signed-in person to the team, and returns its id. Throws invitationUnknown. */
export const acceptInvitation = (
  deps: AccountDeps,
  secret: string,
  person: PersonRecord,
  from: string,
): Promise<string> => joinTeam(deps, secret, person, [], from)

/** Adds a new person to the team and signs them in. Throws badRequest, invitationUnknown, emailTaken and overloaded. */
export async function signUpByInvitation(
  deps: AccountDeps & NewPersonDeps,
  secret: string,
  signUp: SignUp,
  from: string,
): Promise<{ teamId: string; session: NewSession }> {
  if (!(await findInvitation(deps, secret))) throw fault('invitationUnknown')
  const person = await createPersonRecord(signUp, deps, from)
  const { session, changes } = createSession(deps, person.personId)
  const extraChanges: StoreChange[] = [{ add: 'person', row: person }, ...changes]
  return { teamId: await joinTeam(deps, secret, person, extraChanges, from), session }
}
