import { fault } from '#contract/fault.ts'
import { bearerIn, wanted } from './bearer.ts'
import { type SignedIn, sessionOf } from './session.ts'
import type { AccountWorld } from './world.ts'

/** Reads `Authorization`. Throws the faults sessionMissing and sessionRefused. */
export type AuthenticatePerson = (authorization: string | undefined) => Promise<SignedIn>

/** 256 bits in base64url: an access token ends here, without a look-up. */
const isWellFormed = (text: string) => /^[\w-]{43}$/.test(text)

/**
 * Reads `Authorization: Bearer …` with the secret of a session of this environment; what is wrong with it is not told. A
 * cookie is not read, though a browser sends it along: what a browser adds by itself another site can make it send. Each
 * call looks the session up, so that signing out takes effect at once.
 */
export function authenticatePerson(on: AccountWorld): AuthenticatePerson {
  return async (authorization) => {
    if (!authorization?.trim()) throw fault('sessionMissing', wanted)
    const secret = bearerIn(authorization)
    const who = secret && isWellFormed(secret) ? await sessionOf(on, secret) : undefined
    if (!who) throw fault('sessionRefused', wanted)
    return who
  }
}
