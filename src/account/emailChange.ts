import { fault } from '#contract/fault.ts'
import type { EmailChange, PersonRecord } from '#store/accounts.ts'
import { Conflict, type StoreChange } from '#store/store.ts'
import { type AccountDeps, type AuditActor, auditChange } from './accountDeps.ts'
import { generateSecret, hashSecret } from './oneTimeSecret.ts'
import { changePerson, hashEmail, openProfile, openSandboxLink, replacePerson, sealProfile } from './person.ts'

/** A pending e-mail and its link expire after this time. */
const emailChangeLifetimeMs = 7 * 86_400_000

const emailChangeAad = (personId: string) => `e-mail change ${personId}`

const openNewEmail = ({ sealed, personId }: EmailChange, { keys }: Pick<AccountDeps, 'keys'>) =>
  keys.openSecret(sealed, emailChangeAad(personId)).toString()

const isPending = ({ expiresAt }: EmailChange, { clock }: Pick<AccountDeps, 'clock'>) => expiresAt > clock.now()

/** The changes that make an e-mail pending. They do not depend on whether another person has it. */
export function emailChangeRequest(
  deps: Pick<AccountDeps, 'clock' | 'keys'>,
  personId: string,
  email: string,
): StoreChange[] {
  const createdAt = deps.clock.now()
  const sealed = deps.keys.sealSecret(Buffer.from(email), emailChangeAad(personId))
  return [
    { account: { sweep: 'email_change', before: createdAt } },
    {
      account: {
        put: 'emailChange',
        row: { personId, sealed, createdAt, expiresAt: createdAt + emailChangeLifetimeMs },
      },
    },
  ]
}

export async function findPendingEmail(deps: AccountDeps, personId: string): Promise<string | undefined> {
  const change = await deps.store.accounts.emailChange(personId)
  return change && isPending(change, deps) ? openNewEmail(change, deps) : undefined
}

/** A pending e-mail as the operator sees it. */
type PendingEmailChange = {
  personId: string
  name: string
  email: string | null
  newEmail: string
  requestedAt: number
  expiresAt: number
  /** True if another person signs in with this e-mail, so that it cannot be confirmed. */
  isTaken: boolean
}

async function toPendingEmailChange(
  deps: AccountDeps,
  change: EmailChange,
  person: PersonRecord,
): Promise<PendingEmailChange> {
  const { personId, createdAt: requestedAt, expiresAt } = change
  const { name, email = null } = openProfile(person, deps.keys)
  const newEmail = openNewEmail(change, deps)
  const isTaken = (await deps.store.accounts.personByEmail(hashEmail(deps.keys, newEmail))) !== undefined
  return { personId, name, email, newEmail, requestedAt, expiresAt, isTaken }
}

/** The pending e-mails, oldest first. Only for the operator: it shows which are taken. */
export async function findPendingEmailChanges(deps: AccountDeps): Promise<PendingEmailChange[]> {
  const changes = (await deps.store.accounts.emailChanges()).filter((change) => isPending(change, deps))
  const pending = changes.map(async (change) => {
    const person = await deps.store.accounts.person(change.personId)
    return person ? [await toPendingEmailChange(deps, change, person)] : []
  })
  return (await Promise.all(pending)).flat()
}

/**
 * Makes a link that confirms the pending e-mail of a person once, and invalidates the previous link. Only for the
 * operator, who sends it to that e-mail. `baseUrl` ends with the version segment. Throws emailChangeUnknown and
 * emailTaken.
 */
export const createEmailLink = (
  deps: AccountDeps,
  { baseUrl, personId }: { baseUrl: string; personId: string },
  who: AuditActor,
): Promise<{ url: string; newEmail: string; expiresAt: number }> =>
  changePerson(personId, async () => {
    const change = await deps.store.accounts.emailChange(personId)
    const person = await deps.store.accounts.person(personId)
    if (!change || !person || !isPending(change, deps)) throw fault('emailChangeUnknown')
    const { newEmail, expiresAt, isTaken } = await toPendingEmailChange(deps, change, person)
    if (isTaken) throw fault('emailTaken')
    const secret = generateSecret()
    const row = { ...change, link: hashSecret(deps.keys, 'e-mail link', secret) }
    await deps.store.write([
      { account: { put: 'emailChange', row } },
      auditChange(deps, who, { what: 'createEmailLink', object: personId }),
    ])
    return { url: `${baseUrl}/account/email/${secret}`, newEmail, expiresAt }
  })

async function findEmailChange(deps: AccountDeps, secret: string): Promise<EmailChange | undefined> {
  const change = await deps.store.accounts.emailChangeOf(hashSecret(deps.keys, 'e-mail link', secret))
  return change && isPending(change, deps) ? change : undefined
}

/** The e-mail that a valid link confirms. */
export async function findEmailOfLink(deps: AccountDeps, secret: string): Promise<string | undefined> {
  const change = await findEmailChange(deps, secret)
  return change && openNewEmail(change, deps)
}

/**
 * Makes the e-mail of a link the one that its person signs in with. Throws emailLinkUnknown, also if another person has
 * taken the e-mail since, so that the link does not reveal them.
 */
export async function confirmEmail(
  deps: AccountDeps,
  secret: string,
  from: string,
): Promise<{ personId: string; email: string; before: string | undefined }> {
  const linked = await findEmailChange(deps, secret)
  if (!linked) throw fault('emailLinkUnknown')
  const { personId } = linked
  return changePerson(personId, async () => {
    const change = await findEmailChange(deps, secret)
    const person = await deps.store.accounts.person(personId)
    if (!change || !person) throw fault('emailLinkUnknown')
    const email = openNewEmail(change, deps)
    const { name } = openProfile(person, deps.keys)
    const sandbox = openSandboxLink(person, deps.keys)
    const row = { ...person, ...sealProfile(personId, { name, email, sandbox }, deps.keys) }
    await deps.store
      .write([
        ...replacePerson(deps, person, row),
        { account: { drop: 'emailChange', personId } },
        auditChange(deps, { by: personId, from }, { what: 'confirmEmail', object: personId }),
      ])
      .catch((error) => {
        throw error instanceof Conflict && error.unique === 'person.email' ? fault('emailLinkUnknown') : error
      })
    return { personId, email, before: openProfile(person, deps.keys).email }
  })
}
