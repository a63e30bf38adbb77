import { attempt, countAttempts, quarterHourMs } from './attempts.ts'
import { signUpByInvitation } from './invitation.ts'
import { networkOf } from './network.ts'
import { secretHash } from './oneTime.ts'
import type { SignUp } from './person.ts'
import type { NewSession } from './session.ts'
import type { SignInDeps } from './trySignIn.ts'

/**
 * Somebody new joins the team of an invitation, from an address, and is signed in. Throws badRequest, invitationUnknown,
 * emailTaken, tooManyAttempts and overloaded.
 */
export type TrySignUp = (
  invitation: string,
  signUp: SignUp,
  from: string,
) => Promise<{ teamId: string; session: NewSession }>

/**
 * Five attempts by an invitation or thirty of an address in a quarter of an hour: each costs a hash, and one in vain tells
 * that an e-mail is taken.
 */
export function limitSignUp(deps: SignInDeps): TrySignUp {
  const byInvitation = countAttempts({ most: 5, windowMs: quarterHourMs }, deps.clock)
  const byAddress = countAttempts({ most: 30, windowMs: quarterHourMs }, deps.clock)
  return async (invitation, signUp, from) => {
    const address = networkOf(from)
    const counted = [
      { attempts: byInvitation, name: secretHash(deps.keys, 'invitation', invitation).toString('base64url') },
      { attempts: byAddress, name: address },
    ]
    const joined = await attempt(counted, () => signUpByInvitation(deps, invitation, signUp, from))
    byAddress.takeBack(address)
    return joined
  }
}
