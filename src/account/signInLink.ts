import { newId } from '#kit/id.ts'
import { Conflict } from '#store/store.ts'
import { mintSecret, secretHash } from './oneTime.ts'
import { newSession } from './session.ts'
import { type AccountWorld, auditOf } from './world.ts'

const linkLifeMs = 3_600_000

/** Whom the operator's link signs in. Made where the first start has not made them. */
async function operatorId({ store, clock }: Pick<AccountWorld, 'store' | 'clock'>): Promise<string> {
  const known = await store.person('operator')
  if (known) return known.personId
  const createdAt = clock.now()
  const personId = newId('per', createdAt)
  await store.write([{ add: 'person', row: { personId, name: 'Operator', role: 'operator', createdAt } }])
  return personId
}

/**
 * A link that signs the operator in once, within an hour. To be shown on the terminal and nowhere else. `baseUrl` ends
 * with the version segment.
 */
export async function makeSignInLink(
  on: Pick<AccountWorld, 'store' | 'clock' | 'keys'>,
  baseUrl: string,
): Promise<{ url: string; expiresAt: number }> {
  const personId = await operatorId(on)
  const secret = mintSecret()
  const now = on.clock.now()
  const expiresAt = now + linkLifeMs
  const row = { hash: secretHash(on.keys, 'sign-in link', secret), personId, expiresAt }
  await on.store.write([
    { account: { sweep: 'sign_in_link', before: now } },
    { account: { add: 'signInLink', row } },
    auditOf(on, { by: 'operator' }, { what: 'createSignInLink', object: personId }),
  ])
  return { url: `${baseUrl}/account/link/${secret}`, expiresAt }
}

/** The link of this secret, while it is good. */
async function goodLink({ store, keys, clock }: AccountWorld, secret: string) {
  const hash = secretHash(keys, 'sign-in link', secret)
  const link = await store.accounts.signInLink(hash)
  const isGood = link && link.expiresAt > clock.now() && !(await store.accounts.isUsed(hash))
  return isGood ? link : undefined
}

export const isGoodLink = async (on: AccountWorld, secret: string) => (await goodLink(on, secret)) !== undefined

/** Signs in by a link: the secret of the session; undefined where the link is unknown, used or has expired. */
export async function signInByLink(on: AccountWorld, secret: string, from: string): Promise<string | undefined> {
  const link = await goodLink(on, secret)
  if (!link) return undefined
  const { personId, hash, expiresAt } = link
  const { session, changes } = newSession(on, personId, true)
  try {
    await on.store.write([
      { account: { use: 'once', hash, expiresAt } },
      ...changes,
      auditOf(on, { by: personId, from }, { what: 'signInByLink', object: personId }),
    ])
    return session.secret
  } catch (error) {
    if (error instanceof Conflict && error.unique === 'used') return undefined
    throw error
  }
}
