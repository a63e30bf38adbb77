import { randomBytes } from 'node:crypto'
import { badRequest, fault } from '#contract/fault.ts'
import { base62 } from '#kit/base62.ts'
import type { Application } from '#store/accounts.ts'
import { secretHash } from './oneTime.ts'
import { type Holder, refuseEscalation } from './privilege.ts'
import { parseDuration } from './token.ts'
import { type AccountWorld, auditOf } from './world.ts'

const longestMs = 30 * 86_400_000

/** What an application proves itself by at the token endpoint. */
export const mintClientSecret = () => `aglet_secret_${base62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43)}`

function readKeep(keepBefore: string): number {
  const keepMs = parseDuration(keepBefore)
  if (keepMs <= longestMs) return keepMs
  throw badRequest({ path: 'keepBefore', message: 'must be from 0m to 30d' })
}

/** The secret so far, and until when it stays good; one that it replaced itself is good no more. */
const stillGood = (hash: Uint8Array, until: number, nowMs: number) =>
  until > nowMs ? { secretBefore: { hash, until } } : {}

/**
 * Gives an application another client secret, shown here once. The one before stays good for `keepBefore`, so that both
 * work until the new one is deployed; `0m` ends it at once. Throws scopeMissing, badRequest and applicationIsPublic.
 */
export async function rotateClientSecret(
  on: AccountWorld,
  { applicationId, teamId, scopes, secretHash: before }: Application,
  keepBefore: string,
  holder: Holder,
): Promise<{ clientSecret: string; beforeEndsAt: number }> {
  // Whoever has the secret gets tokens with every scope of the application.
  await refuseEscalation(on, scopes, holder, { what: 'rotateClientSecret', teamId, object: applicationId })
  if (!before) throw fault('applicationIsPublic')
  const nowMs = on.clock.now()
  const beforeEndsAt = nowMs + readKeep(keepBefore)
  const clientSecret = mintClientSecret()
  const hash = secretHash(on.keys, 'client', clientSecret)
  const row = { applicationId, secretHash: hash, ...stillGood(before, beforeEndsAt, nowMs) }
  const change = { what: 'rotateClientSecret', teamId, object: applicationId, after: { beforeEndsAt } }
  await on.store.write([{ account: { put: 'clientSecret', row } }, auditOf(on, holder, change)])
  return { clientSecret, beforeEndsAt }
}
