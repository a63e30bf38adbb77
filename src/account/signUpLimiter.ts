import { createAttemptLimiter, quarterHourMs, runCounted } from './attemptLimiter.ts'
import { clientNetwork } from './clientNetwork.ts'
import { signUpByInvitation } from './invitation.ts'
import { hashSecret } from './oneTimeSecret.ts'
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
export function createSignUpLimiter(deps: SignInDeps): SignUpAttempt {
  const byInvitation = createAttemptLimiter({ maxFailures: 5, windowMs: quarterHourMs }, deps.clock)
  const byAddress = createAttemptLimiter({ maxFailures: 30, windowMs: quarterHourMs }, deps.clock)
  return async (invitation, signUp, from) => {
    const address = clientNetwork(from)
    const counted = [
      { attempts: byInvitation, name: hashSecret(deps.keys, 'invitation', invitation).toString('base64url') },
      { attempts: byAddress, name: address },
    ]
    const result = await runCounted(counted, () => signUpByInvitation(deps, invitation, signUp, from))
    byAddress.undoFailure(address)
    return result
  }
}
