import { type ChangeSignIn, createSignInChanger } from './changeSignIn.ts'
import { createSignInLimiter, type SignInAttempt, type SignInDeps } from './signInLimiter.ts'
import { createSignUpLimiter, type SignUpAttempt } from './signUpLimiter.ts'

/** The operations that hash a password. Pages and API share them, so that their attempts are counted together. */
export type SignInMethods = { trySignIn: SignInAttempt; trySignUp: SignUpAttempt; changeSignIn: ChangeSignIn }

/** Called once per environment. */
export const openSignInMethods = (deps: SignInDeps): SignInMethods => ({
  trySignIn: createSignInLimiter(deps),
  trySignUp: createSignUpLimiter(deps),
  changeSignIn: createSignInChanger(deps),
})
