import { createAttemptLimiter } from './attemptLimiter.ts'
import { clientNetwork } from './clientNetwork.ts'
import { signUpByInvitation } from './invitation.ts'
import type { SignUp } from './person.ts'
import type { NewSession } from './session.ts'
import type { SignInDeps } from './signInLimiter.ts'

/**
 * Signs up a new person from an IP address, adds them to the team of the invitation, and signs them in. Throws
 * badRequest, invitationUnknown, emailTaken, tooManyAttempts and overloaded.
 */
export type SignUpAttempt = (
  invitation: string,
  signUp: SignUp,
  from: string,
) => Promise<{ teamId: string; session: NewSession }>

/**
 * Allows five attempts per invitation and thirty failures per IP address in 15 minutes: each attempt costs a hash, and
 * a failure reveals that an e-mail is taken.
 */
export function createSignUpAttempt(deps: SignInDeps): SignUpAttempt {
  const attempts = createAttemptLimiter(deps)
  return async (invitation, signUp, from) => {
    const address = attempts.name('sign-up address', clientNetwork(from), 30)
    const counted = [address, attempts.name('sign-up invitation', invitation, 5)]
    const result = await attempts.runCounted(counted, () => signUpByInvitation(deps, invitation, signUp, from))
    await attempts.undo(address)
    return result
  }
}
