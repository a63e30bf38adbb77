import { type ChangeSignIn, createSignInChanger } from './changeSignIn.ts'
import { createInvitationMailer, type MailInvitation } from './mailInvitation.ts'
import { createPasswordResets, type PasswordResets } from './passwordReset.ts'
import { createSignInLimiter, type SignInAttempt, type SignInDeps } from './signInLimiter.ts'
import { createSignUpAttempt, type SignUpAttempt } from './signUpAttempt.ts'

/** The operations that hash a password. Pages and API share them, so that their attempts are counted together. */
export type SignInMethods = PasswordResets & {
  trySignIn: SignInAttempt
  trySignUp: SignUpAttempt
  changeSignIn: ChangeSignIn
  mailInvitation: MailInvitation
  /** Absent where the operator has set no SMTP server. */
  mails: SignInDeps['mails']
}

/** Called once per environment. */
export const openSignInMethods = (deps: SignInDeps): SignInMethods => ({
  trySignIn: createSignInLimiter(deps),
  trySignUp: createSignUpAttempt(deps),
  changeSignIn: createSignInChanger(deps),
  mailInvitation: createInvitationMailer(deps),
  ...createPasswordResets(deps),
  mails: deps.mails,
})
