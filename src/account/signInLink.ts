import { newId } from '#kit/id.ts'
import { Conflict } from '#store/store.ts'
import { type AccountDeps, auditChange } from './accountDeps.ts'
import { generateSecret, hashSecret } from './oneTimeSecret.ts'
import { createSession } from './session.ts'

const linkLifetimeMs = 3_600_000

/** The id of the operator, who is created if they do not exist yet. */
async function ensureOperator({ store, clock }: Pick<AccountDeps, 'store' | 'clock'>): Promise<string> {
  const existing = await store.person('operator')
  if (existing) return existing.personId
  const createdAt = clock.now()
  const personId = newId('per', createdAt)
  await store.write([{ add: 'person', row: { personId, name: 'Operator', role: 'operator', createdAt } }])
  return personId
}

/**
 * Makes a link that signs the operator in once, within an hour. It must be shown only on the terminal. `baseUrl` ends
 * with the version segment.
 */
export async function createSignInLink(
  deps: Pick<AccountDeps, 'store' | 'clock' | 'keys'>,
  baseUrl: string,
): Promise<{ url: string; expiresAt: number }> {
  const personId = await ensureOperator(deps)
  const secret = generateSecret()
  const now = deps.clock.now()
  const expiresAt = now + linkLifetimeMs
  const row = { hash: hashSecret(deps.keys, 'sign-in link', secret), personId, expiresAt }
  await deps.store.write([
    { account: { sweep: 'sign_in_link', before: now } },
    { account: { add: 'signInLink', row } },
    auditChange(deps, { by: 'operator' }, { what: 'createSignInLink', object: personId }),
  ])
  return { url: `${baseUrl}/account/link/${secret}`, expiresAt }
}

/** The link of this secret; undefined if it is unknown, used or expired. */
async function findValidLink({ store, keys, clock }: Pick<AccountDeps, 'store' | 'keys' | 'clock'>, secret: string) {
  const hash = hashSecret(keys, 'sign-in link', secret)
  const link = await store.accounts.signInLink(hash)
  const isGood = link && link.expiresAt > clock.now() && !(await store.accounts.isSecretUsed(hash))
  return isGood ? link : undefined
}

export const isValidLink = async (deps: AccountDeps, secret: string) =>
  (await findValidLink(deps, secret)) !== undefined

/** Signs in by a link. Resolves with the session secret; undefined if the link is unknown, used or expired. */
export async function signInByLink(deps: AccountDeps, secret: string, from: string): Promise<string | undefined> {
  const link = await findValidLink(deps, secret)
  if (!link) return undefined
  const { personId, hash, expiresAt } = link
  const { session, changes } = createSession(deps, personId, { byLink: true })
  try {
    await deps.store.write([
      { account: { use: 'once', hash, expiresAt } },
      ...changes,
      auditChange(deps, { by: personId, from }, { what: 'signInByLink', object: personId }),
    ])
    return session.secret
  } catch (error) {
    if (error instanceof Conflict && error.unique === 'used') return undefined
    throw error
  }
}
