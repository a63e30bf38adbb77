import { fault } from '#contract/fault.ts'
import type { AccountDeps } from './accountDeps.ts'
import { bearerChallenge, parseBearer } from './bearer.ts'
import { findSession, type SignedInPerson } from './session.ts'

/** Throws sessionMissing and sessionRefused. */
export type AuthenticatePerson = (authorization: string | undefined) => Promise<SignedInPerson>

/** 256 bits in base64url. Rejects access tokens without a lookup. */
const isWellFormed = (text: string) => /^[\w-]{43}$/.test(text)

/**
 * Reads `Authorization: Bearer …` with a session secret of this environment. Errors do not say why it is invalid.
 * Cookies are not read, because another site can make a browser send them. Each call looks the session up, so that
 * signing out takes effect at once.
 */
export function createPersonAuthenticator(deps: AccountDeps): AuthenticatePerson {
  return async (authorization) => {
    if (!authorization?.trim()) throw fault('sessionMissing', bearerChallenge())
    const secret = parseBearer(authorization)
    const who = secret && isWellFormed(secret) ? await findSession(deps, secret) : undefined
    if (!who) throw fault('sessionRefused', bearerChallenge('invalid_token'))
    return who
  }
}
