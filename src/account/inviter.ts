import type { Role } from '#contract/account.ts'
import type { Invitation } from '#store/accounts.ts'
import type { Access } from './access.ts'
import { hasGranted } from './granted.ts'
import { partsOf, roleIn } from './member.ts'
import { scopesOf } from './role.ts'
import type { AccountWorld } from './world.ts'

/** By whose authority an invitation is made: a person, an application, or an application in a person's name. */
export type Inviter = Pick<Invitation, 'personId' | 'application'>

/** By whose authority a token invites; a token that the operator made has no person and no application. */
export async function inviterOf({ store }: AccountWorld, { tokenId, application }: Access): Promise<Inviter> {
  const known = await store.accounts.application(application)
  const actor = await store.accounts.actorOf(tokenId)
  return { ...(known && { application }), ...(actor && { personId: partsOf(actor).personId }) }
}

/** Does a role allow everything that another does? */
const covers = (role: Role, other: Role) => scopesOf(other).every((scope) => scopesOf(role).includes(scope))

async function personMayInvite(on: AccountWorld, personId: string, { teamId, role }: Invitation): Promise<boolean> {
  const person = await on.store.accounts.person(personId)
  const held = person && (await roleIn(on, person, teamId))
  return held !== undefined && covers(held, role)
}

/** An application in a person's name needs that person's grant, one by itself needs only to exist. */
async function applicationMayInvite(on: AccountWorld, applicationId: string, { teamId, personId }: Invitation) {
  if (personId !== undefined) return hasGranted(on, personId, { applicationId, teamId })
  return (await on.store.accounts.application(applicationId)) !== undefined
}

/**
 * Whether whoever made an invitation could still make it: an owner who has left, an application whose access has ended and
 * a token that was revoked leave no open link behind. A token that expired ends no invitation.
 */
export async function mayStillInvite(on: AccountWorld, invitation: Invitation): Promise<boolean> {
  const { personId, application, by } = invitation
  if (personId !== undefined && !(await personMayInvite(on, personId, invitation))) return false
  if (application !== undefined && !(await applicationMayInvite(on, application, invitation))) return false
  return (await on.store.tokenById(by))?.revokedAt === undefined
}
