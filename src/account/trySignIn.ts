import { countAttempts } from './attempts.ts'
import { emailKey } from './person.ts'
import { type NewSession, signIn } from './session.ts'
import type { AccountWorld } from './world.ts'

const quarterMs = 15 * 60_000

/** What came of an e-mail and a password: a session; how long to wait, in ms; or that they do not fit. */
export type SignInTried = { session: NewSession } | { waitMs: number } | { refused: true }
export type TrySignIn = (given: { email: string; password: string }, from: string) => Promise<SignInTried>

/**
 * Signing in by e-mail and password: five failures of an e-mail or thirty of an address in a quarter of an hour. There is
 * one for an environment: whoever was refused by the page has no more attempts left at the API.
 */
export function limitSignIn(on: AccountWorld): TrySignIn {
  const byEmail = countAttempts({ most: 5, windowMs: quarterMs }, on.clock)
  const byAddress = countAttempts({ most: 30, windowMs: quarterMs }, on.clock)
  return async ({ email, password }, from) => {
    const name = emailKey(on.keys, email).toString('base64url')
    const waitMs = Math.max(byEmail.waitMs(name), byAddress.waitMs(from))
    if (waitMs > 0) return { waitMs }
    // Counted before it is known to fail: of many at once no more are let through.
    byEmail.failed(name)
    byAddress.failed(from)
    const session = await signIn(on, { email, password }, from)
    if (!session) return { refused: true }
    byEmail.forget(name)
    byAddress.takeBack(from)
    return { session }
  }
}
