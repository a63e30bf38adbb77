import { confirmEmail as confirm, newEmailOf } from '#account/emailChange.ts'
import { acceptInvitation as accept, secretIn } from '#account/invitation.ts'
import { membershipsOf, roleIn } from '#account/member.ts'
import { profileOf } from '#account/person.ts'
import { signOut as end, type NewSession } from '#account/session.ts'
import type { operations } from '#contract/operations.ts'
import type { Person as ShownPerson, Session as ShownSession } from '#contract/session.ts'
import type { Answer } from '#http/bind.ts'
import type { Person } from '#store/accounts.ts'
import type { ControlWorld } from './world.ts'

type Of<Id extends keyof typeof operations> = Answer<(typeof operations)[Id], ControlWorld>

async function showPerson(person: Person, on: ControlWorld): Promise<ShownPerson> {
  const { personId } = person
  const newEmail = await newEmailOf(on, personId)
  return { personId, ...profileOf(person, on.keys), ...(newEmail !== undefined && { newEmail }) }
}

const shown = async (on: ControlWorld, person: Person, expiresAt: number): Promise<ShownSession> => ({
  expiresAt,
  person: await showPerson(person, on),
  teams: await membershipsOf(on, person),
})

/** A session that was just made, with the secret that is shown this once. */
async function made(on: ControlWorld, { secret, personId, expiresAt }: NewSession) {
  const person = (await on.store.accounts.person(personId))!
  return { session: secret, ...(await shown(on, person, expiresAt)) }
}

export const signIn: Of<'signIn'> = async ({ body, from }, on) => made(on, await on.trySignIn(body, from))

export const readSession: Of<'readSession'> = ({ access: { person, session } }, on) =>
  shown(on, person, session.expiresAt)

export const signOut: Of<'signOut'> = async ({ access, from }, on) => {
  await end(on, access, from)
  return { personId: access.person.personId }
}

export const createPerson: Of<'createPerson'> = async ({ body: { invitation, ...signUp }, from }, on) => {
  const { teamId, session } = await on.trySignUp(secretIn(invitation), signUp, from)
  const { personId } = session
  on.log({ message: 'changed', what: 'acceptInvitation', by: personId, teamId, object: personId })
  return made(on, session)
}

export const updatePerson: Of<'updatePerson'> = async ({ body, access, from }, on) => {
  const { name, email, password, currentPassword } = body
  const change = {
    ...(name != null && { name }),
    ...(email != null && { email }),
    ...(password != null && { password }),
    ...(currentPassword != null && { currentPassword }),
  }
  await on.changeSignIn(access, change, from)
  const { personId } = access.person
  on.log({ message: 'changed', what: 'changeSignIn', by: personId, object: personId })
  return showPerson((await on.store.accounts.person(personId))!, on)
}

export const confirmEmail: Of<'confirmEmail'> = async ({ body: { link }, from }, on) => {
  const confirmed = await confirm(on, secretIn(link), from)
  const { personId } = confirmed
  on.log({ message: 'changed', what: 'confirmEmail', by: personId, object: personId })
  return confirmed
}

export const acceptInvitation: Of<'acceptInvitation'> = async ({ body, access: { person }, from }, on) => {
  const teamId = await accept(on, secretIn(body.invitation), person, from)
  const { personId } = person
  on.log({ message: 'changed', what: 'acceptInvitation', by: personId, teamId, object: personId })
  const [team, role] = [await on.store.team(teamId), await roleIn(on, person, teamId)]
  return { teamId, name: team?.name ?? '', role: role! }
}
