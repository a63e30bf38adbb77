import { type ChangeSignIn, createSignInChanger } from './changeSignIn.ts'
import { createSignInLimiter, type SignInAttempt, type SignInDeps } from './signInLimiter.ts'
import { createSignUpAttempt, type SignUpAttempt } from './signUpAttempt.ts'

/** The operations that hash a password. Pages and API share them, so that their attempts are counted together. */
export type SignInMethods = { trySignIn: SignInAttempt; trySignUp: SignUpAttempt; changeSignIn: ChangeSignIn }

/** Called once per environment. */
export const openSignInMethods = (deps: SignInDeps): SignInMethods => ({
  trySignIn: createSignInLimiter(deps),
  trySignUp: createSignUpAttempt(deps),
  changeSignIn: createSignInChanger(deps),
})
