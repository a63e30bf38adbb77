import { type ChangeSignIn, limitChanges } from './changeSignIn.ts'
import { limitSignIn, type SignInDeps, type TrySignIn } from './trySignIn.ts'
import { limitSignUp, type TrySignUp } from './trySignUp.ts'

/** What costs a hash of a password. Pages and API share it: what is counted by one is counted by both. */
export type SignIns = { trySignIn: TrySignIn; trySignUp: TrySignUp; changeSignIn: ChangeSignIn }

/** One for each environment. */
export const openSignIns = (deps: SignInDeps): SignIns => ({
  trySignIn: limitSignIn(deps),
  trySignUp: limitSignUp(deps),
  changeSignIn: limitChanges(deps),
})
