import { acceptInvitation as accept, invitationIn, signUpByInvitation } from '#account/invitation.ts'
import { membershipsOf, roleIn } from '#account/member.ts'
import { profileOf } from '#account/person.ts'
import { changeSignIn, signOut as end, type NewSession } from '#account/session.ts'
import { fault } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import type { Person as ShownPerson, Session as ShownSession } from '#contract/session.ts'
import type { Answer } from '#http/bind.ts'
import type { Person } from '#store/accounts.ts'
import type { ControlWorld } from './world.ts'

type Of<Id extends keyof typeof operations> = Answer<(typeof operations)[Id], ControlWorld>

const showPerson = (person: Person, { keys }: ControlWorld): ShownPerson => ({
  personId: person.personId,
  ...profileOf(person, keys),
})

const shown = async (on: ControlWorld, person: Person, expiresAt: number): Promise<ShownSession> => ({
  expiresAt,
  person: showPerson(person, on),
  teams: await membershipsOf(on, person),
})

/** A session that was just made, with the secret that is shown this once. */
async function made(on: ControlWorld, { secret, personId, expiresAt }: NewSession) {
  const person = (await on.store.accounts.person(personId))!
  return { session: secret, ...(await shown(on, person, expiresAt)) }
}

export const signIn: Of<'signIn'> = async ({ body, from }, on) => {
  const tried = await on.trySignIn(body, from)
  if ('waitMs' in tried)
    throw fault('tooManyAttempts', { headers: { 'retry-after': `${Math.ceil(tried.waitMs / 1000)}` } })
  if ('refused' in tried) throw fault('signInRefused')
  return made(on, tried.session)
}

export const readSession: Of<'readSession'> = ({ access: { person, session } }, on) =>
  shown(on, person, session.expiresAt)

export const signOut: Of<'signOut'> = async ({ access, from }, on) => {
  await end(on, access, from)
  return { personId: access.person.personId }
}

export const createPerson: Of<'createPerson'> = async ({ body: { invitation, ...signUp }, from }, on) => {
  const { teamId, session } = await signUpByInvitation(on, invitationIn(invitation), signUp, from)
  const { personId } = session
  on.log({ message: 'changed', what: 'acceptInvitation', by: personId, teamId, object: personId })
  return made(on, session)
}

export const updatePerson: Of<'updatePerson'> = async ({ body: { name, email, password }, access, from }, on) => {
  const change = {
    ...(name != null && { name }),
    ...(email != null && { email }),
    ...(password != null && { password }),
  }
  const person = await changeSignIn(on, access, change, from)
  const { personId } = person
  on.log({ message: 'changed', what: 'changeSignIn', by: personId, object: personId })
  return showPerson(person, on)
}

export const acceptInvitation: Of<'acceptInvitation'> = async ({ body, access: { person }, from }, on) => {
  const teamId = await accept(on, invitationIn(body.invitation), person, from)
  const { personId } = person
  on.log({ message: 'changed', what: 'acceptInvitation', by: personId, teamId, object: personId })
  const [team, role] = [await on.store.team(teamId), await roleIn(on, person, teamId)]
  return { teamId, name: team?.name ?? '', role: role! }
}
