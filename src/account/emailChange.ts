import { fault } from '#contract/fault.ts'
import type { EmailChange, Person } from '#store/accounts.ts'
import { type Change, Conflict } from '#store/store.ts'
import { mintSecret, secretHash } from './oneTime.ts'
import { emailKey, inTurnOfPerson, keptProfile, profileOf } from './person.ts'
import { type AccountWorld, auditOf, type Who } from './world.ts'

/** How long an e-mail waits to be confirmed, its link included. */
const lifeMs = 7 * 86_400_000

const bindOf = (personId: string) => `e-mail change ${personId}`

const emailIn = ({ sealed, personId }: EmailChange, { keys }: Pick<AccountWorld, 'keys'>) =>
  keys.openPrivate(sealed, bindOf(personId)).toString()

const isWaiting = ({ expiresAt }: EmailChange, { clock }: Pick<AccountWorld, 'clock'>) => expiresAt > clock.now()

/** What is to be written so that an e-mail waits to be confirmed; whether somebody else has it is not looked at. */
export function waitForEmail(on: Pick<AccountWorld, 'clock' | 'keys'>, personId: string, email: string): Change[] {
  const createdAt = on.clock.now()
  const sealed = on.keys.sealPrivate(Buffer.from(email), bindOf(personId))
  return [
    { account: { sweep: 'email_change', before: createdAt } },
    { account: { put: 'emailChange', row: { personId, sealed, createdAt, expiresAt: createdAt + lifeMs } } },
  ]
}

/** The e-mail of a person that waits to be confirmed. */
export async function newEmailOf(on: AccountWorld, personId: string): Promise<string | undefined> {
  const change = await on.store.accounts.emailChange(personId)
  return change && isWaiting(change, on) ? emailIn(change, on) : undefined
}

/** An e-mail that waits, as the operator sees it. */
export type WaitingEmail = {
  personId: string
  name: string
  email: string | null
  newEmail: string
  askedAt: number
  expiresAt: number
  /** Somebody else signs in with it: it cannot be confirmed. */
  isTaken: boolean
}

async function shown(on: AccountWorld, change: EmailChange, person: Person): Promise<WaitingEmail> {
  const { personId, createdAt: askedAt, expiresAt } = change
  const { name, email = null } = profileOf(person, on.keys)
  const newEmail = emailIn(change, on)
  const isTaken = (await on.store.accounts.personByEmail(emailKey(on.keys, newEmail))) !== undefined
  return { personId, name, email, newEmail, askedAt, expiresAt, isTaken }
}

/** The e-mails that wait, oldest first. For the operator alone: it tells which are taken. */
export async function waitingEmails(on: AccountWorld): Promise<WaitingEmail[]> {
  const changes = (await on.store.accounts.emailChanges()).filter((change) => isWaiting(change, on))
  const found = changes.map(async (change) => {
    const person = await on.store.accounts.person(change.personId)
    return person ? [await shown(on, change, person)] : []
  })
  return (await Promise.all(found)).flat()
}

/**
 * A link that confirms the e-mail of a person once, as long as it waits; a link before it opens nothing any more. For the
 * operator, who sends it to that e-mail and nowhere else. `baseUrl` ends with the version segment. Throws emailChangeUnknown
 * and emailTaken.
 */
export const makeEmailLink = (
  on: AccountWorld,
  { baseUrl, personId }: { baseUrl: string; personId: string },
  who: Who,
): Promise<{ url: string; newEmail: string; expiresAt: number }> =>
  inTurnOfPerson(personId, async () => {
    const change = await on.store.accounts.emailChange(personId)
    const person = await on.store.accounts.person(personId)
    if (!change || !person || !isWaiting(change, on)) throw fault('emailChangeUnknown')
    const { newEmail, expiresAt, isTaken } = await shown(on, change, person)
    if (isTaken) throw fault('emailTaken')
    const secret = mintSecret()
    const row = { ...change, link: secretHash(on.keys, 'e-mail link', secret) }
    await on.store.write([
      { account: { put: 'emailChange', row } },
      auditOf(on, who, { what: 'createEmailLink', object: personId }),
    ])
    return { url: `${baseUrl}/account/email/${secret}`, newEmail, expiresAt }
  })

async function changeOf(on: AccountWorld, secret: string): Promise<EmailChange | undefined> {
  const change = await on.store.accounts.emailChangeOf(secretHash(on.keys, 'e-mail link', secret))
  return change && isWaiting(change, on) ? change : undefined
}

/** The e-mail that a link confirms, while it is good. */
export async function emailOfLink(on: AccountWorld, secret: string): Promise<string | undefined> {
  const change = await changeOf(on, secret)
  return change && emailIn(change, on)
}

/**
 * Makes the e-mail of a link the one that its person signs in with. Throws emailLinkUnknown, also where somebody else has
 * taken the e-mail since: whoever has the link is not told of them.
 */
export async function confirmEmail(
  on: AccountWorld,
  secret: string,
  from: string,
): Promise<{ personId: string; email: string }> {
  const named = await changeOf(on, secret)
  if (!named) throw fault('emailLinkUnknown')
  const { personId } = named
  return inTurnOfPerson(personId, async () => {
    const change = await changeOf(on, secret)
    const person = await on.store.accounts.person(personId)
    if (!change || !person) throw fault('emailLinkUnknown')
    const email = emailIn(change, on)
    const row = { ...person, ...keptProfile(personId, { name: profileOf(person, on.keys).name, email }, on.keys) }
    await on.store
      .write([
        { account: { put: 'person', row } },
        { account: { drop: 'emailChange', personId } },
        auditOf(on, { by: personId, from }, { what: 'confirmEmail', object: personId }),
      ])
      .catch((error) => {
        throw error instanceof Conflict && error.unique === 'person.email' ? fault('emailLinkUnknown') : error
      })
    return { personId, email }
  })
}
