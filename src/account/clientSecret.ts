import { randomBytes } from 'node:crypto'
import { badRequest, fault } from '#contract/fault.ts'
import { base62 } from '#kit/base62.ts'
import type { ApplicationRecord } from '#store/accounts.ts'
import { type AccountDeps, auditChange } from './accountDeps.ts'
import { hashSecret } from './oneTimeSecret.ts'
import { refuseEscalation, type ScopeHolder } from './privilege.ts'
import { parseDuration } from './token.ts'

const maxOverlapMs = 30 * 86_400_000

/** A new secret that authenticates an application at the token endpoint. */
export const generateClientSecret = () => `aglet_secret_${base62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43)}`

function parseOverlap(keepBefore: string): number {
  const keepMs = parseDuration(keepBefore)
  if (keepMs <= maxOverlapMs) return keepMs
  throw badRequest({ path: 'keepBefore', message: 'must be from 0m to 30d' })
}

/** The previous secret and its end of validity. An older one is no longer valid. */
const withPreviousSecret = (hash: Uint8Array, until: number, nowMs: number) =>
  until > nowMs ? { secretBefore: { hash, until } } : {}

/**
 * Gives an application a new client secret, which only this result contains. The previous one stays valid for
 * `keepBefore`, so that both work until the new one is deployed; `0m` ends it at once. Throws scopeMissing, badRequest
 * and applicationIsPublic.
 */
export async function rotateClientSecret(
  deps: AccountDeps,
  { applicationId, teamId, scopes, secretHash: before }: ApplicationRecord,
  keepBefore: string,
  holder: ScopeHolder,
): Promise<{ clientSecret: string; beforeEndsAt: number }> {
  // The secret gives tokens with every scope of the application.
  await refuseEscalation(deps, scopes, holder, { what: 'rotateClientSecret', teamId, object: applicationId })
  if (!before) throw fault('applicationIsPublic')
  const nowMs = deps.clock.now()
  const beforeEndsAt = nowMs + parseOverlap(keepBefore)
  const clientSecret = generateClientSecret()
  const hash = hashSecret(deps.keys, 'client', clientSecret)
  const row = { applicationId, secretHash: hash, ...withPreviousSecret(before, beforeEndsAt, nowMs) }
  const change = { what: 'rotateClientSecret', teamId, object: applicationId, after: { beforeEndsAt } }
  await deps.store.write([{ account: { put: 'clientSecret', row } }, auditChange(deps, holder, change)])
  return { clientSecret, beforeEndsAt }
}
