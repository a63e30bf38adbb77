import { confirmEmail as confirm, findPendingEmail } from '#account/emailChange.ts'
import { acceptInvitation as accept, parseLinkSecret } from '#account/invitation.ts'
import { rememberDevice } from '#account/knownDevice.ts'
import { findMemberships, findRole } from '#account/membership.ts'
import { openProfile } from '#account/person.ts'
import type { SandboxLinks } from '#account/sandboxLinks.ts'
import {
  endSession as end,
  findSession,
  type NewSession,
  type SignedInPerson,
  sessionLifeMs,
} from '#account/session.ts'
import { badRequest } from '#contract/fault.ts'
import type { Person as ShownPerson, Session as ShownSession } from '#contract/session.ts'
import type { BrowserCookies } from '#http/bindOperation.ts'
import type { PersonRecord } from '#store/accounts.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'

async function showPerson(person: PersonRecord, deps: ControlDeps): Promise<ShownPerson> {
  const { personId } = person
  const newEmail = await findPendingEmail(deps, personId)
  return {
    personId,
    ...openProfile(person, deps.keys),
    ...(newEmail !== undefined && { newEmail }),
    ...(person.role === 'operator' && { isOperator: true as const }),
    ...(deps.sandboxLinks && { sandbox: await deps.sandboxLinks.state(person) }),
  }
}

const toSession = async (deps: ControlDeps, person: PersonRecord, expiresAt: number): Promise<ShownSession> => ({
  expiresAt,
  person: await showPerson(person, deps),
  teams: await findMemberships(deps, person),
})

type BrowserCall = { browser?: BrowserCookies }

/** Lets the browser prove later that this person has signed in there. */
async function rememberBrowser(deps: ControlDeps, { browser }: BrowserCall, who: SignedInPerson): Promise<void> {
  browser?.setDevice(await rememberDevice(deps, who, browser))
}

/**
 * A new session with its secret, which no later response contains. A page of this origin gets the secret only in the
 * cookie, where its scripts cannot read it.
 */
async function toCreatedSession(deps: ControlDeps, { secret, expiresAt }: NewSession, call: BrowserCall) {
  const { person, session } = (await findSession(deps, secret))!
  call.browser?.setSession(secret, sessionLifeMs)
  await rememberBrowser(deps, call, { person, session })
  return { ...(!call.browser && { session: secret }), ...(await toSession(deps, person, expiresAt)) }
}

export const signIn: AnswerFor<'signIn'> = async ({ body, from, ...call }, deps) =>
  toCreatedSession(deps, await deps.trySignIn(body, from, call.browser?.device), call)

export const readSession: AnswerFor<'readSession'> = ({ access: { person, session } }, deps) =>
  toSession(deps, person, session.expiresAt)

export const signOut: AnswerFor<'signOut'> = async ({ access, from, browser }, deps) => {
  await end(deps, access, from)
  browser?.setSession('', 0)
  return { personId: access.person.personId }
}

export const createPerson: AnswerFor<'createPerson'> = async (
  { body: { invitation, ...signUp }, from, ...call },
  deps,
) => {
  const { teamId, session } = await deps.trySignUp(parseLinkSecret(invitation), signUp, from)
  const { personId } = session
  deps.log({ message: 'changed', what: 'acceptInvitation', by: personId, teamId, object: personId })
  return toCreatedSession(deps, session, call)
}

export const updatePerson: AnswerFor<'updatePerson'> = async ({ body, access, from, language, ...call }, deps) => {
  const { name, email, password, currentPassword } = body
  const change = {
    ...(name != null && { name }),
    ...(email != null && { email }),
    ...(password != null && { password }),
    ...(currentPassword != null && { currentPassword }),
  }
  await deps.changeSignIn(access, change, from, language)
  const { personId } = access.person
  deps.log({ message: 'changed', what: 'changeSignIn', by: personId, object: personId })
  const person = (await deps.store.accounts.person(personId))!
  if (password != null) await rememberBrowser(deps, call, { ...access, person })
  return showPerson(person, deps)
}

/** Changes a person's link to the sandbox. Throws badRequest in the sandbox, and if no sandbox is served. */
async function changeLink(
  deps: ControlDeps,
  { person: { personId } }: SignedInPerson,
  what: 'linkSandbox' | 'unlinkSandbox',
  run: (links: SandboxLinks) => Promise<void>,
): Promise<ShownPerson> {
  if (!deps.sandboxLinks) throw badRequest({ path: 'sandbox', message: 'can only be linked in production' })
  await run(deps.sandboxLinks)
  deps.log({ message: 'changed', what, by: personId, object: personId })
  return showPerson((await deps.store.accounts.person(personId))!, deps)
}

export const linkSandbox: AnswerFor<'linkSandbox'> = ({ body, access, from }, deps) =>
  changeLink(deps, access, 'linkSandbox', ({ link }) => link(access, body, from))

export const unlinkSandbox: AnswerFor<'unlinkSandbox'> = ({ access, from }, deps) =>
  changeLink(deps, access, 'unlinkSandbox', ({ unlink }) => unlink(access, from))

export const confirmEmail: AnswerFor<'confirmEmail'> = async ({ body: { link }, from, language }, deps) => {
  const { before, ...confirmed } = await confirm(deps, parseLinkSecret(link), from)
  const { personId } = confirmed
  if (before) deps.mails?.send.emailChanged({ to: before, language, key: personId })
  deps.log({ message: 'changed', what: 'confirmEmail', by: personId, object: personId })
  return confirmed
}

export const acceptInvitation: AnswerFor<'acceptInvitation'> = async ({ body, access: { person }, from }, deps) => {
  const teamId = await accept(deps, parseLinkSecret(body.invitation), person, from)
  const { personId } = person
  deps.log({ message: 'changed', what: 'acceptInvitation', by: personId, teamId, object: personId })
  const [team, role] = [await deps.store.team(teamId), await findRole(deps, person, teamId)]
  return { teamId, name: team?.name ?? '', role: role! }
}
