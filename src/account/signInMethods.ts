import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'
import { Fault } from '#contract/fault.ts'
import { createAttemptLimiter } from './attemptLimiter.ts'
import { type ChangeSignIn, createSignInChanger } from './changeSignIn.ts'
import { clientNetwork } from './clientNetwork.ts'
import { signUpByInvitation } from './invitation.ts'
import { createPasswordResets, type PasswordResets } from './passwordReset.ts'
import type { SignUp } from './person.ts'
import type { NewSession } from './session.ts'
import { createSignInLimiter, type SignInAttempt, type SignInDeps } from './signInLimiter.ts'

/**
 * Signs up a new person from an IP address, adds them to the team of the invitation, and signs them in. Throws
 * badRequest, invitationUnknown, emailTaken, tooManyAttempts and overloaded.
 */
type SignUpAttempt = (
  invitation: string,
  signUp: SignUp,
  from: string,
) => Promise<{ teamId: string; session: NewSession }>

/**
 * Allows five attempts per invitation and thirty failures per IP address in 15 minutes: each attempt costs a hash, and
 * a failure reveals that an e-mail is taken.
 */
function createSignUpAttempt(deps: SignInDeps): SignUpAttempt {
  const attempts = createAttemptLimiter(deps)
  return async (invitation, signUp, from) => {
    const address = attempts.name('sign-up address', clientNetwork(from), 30)
    const counted = [address, attempts.name('sign-up invitation', invitation, 5)]
    const result = await attempts.runCounted(counted, () => signUpByInvitation(deps, invitation, signUp, from))
    await attempts.undo(address)
    return result
  }
}

type InvitationMail = { teamId: string; to: string; url: string; language: DashboardLanguage }

/** Mails the link of an invitation. False if the operator has set no SMTP server, or the team has mailed too many. */
type MailInvitation = (mail: InvitationMail) => Promise<boolean>

/** Twenty mails per team in 15 minutes, because they go to any address. The link is also shown on the page. */
function createInvitationMailer(deps: SignInDeps): MailInvitation {
  const attempts = createAttemptLimiter(deps)
  return async ({ teamId, to, url, language }) => {
    const { mails } = deps
    if (!mails) return false
    const team = (await deps.store.team(teamId))?.name ?? ''
    try {
      await attempts.runCounted([attempts.name('invitation mail', teamId, 20)], async () =>
        mails.send.invitation({ to: to.trim(), language, key: teamId }, { team, url }),
      )
      return true
    } catch (error) {
      if (error instanceof Fault && error.fault === 'tooManyAttempts') return false
      throw error
    }
  }
}

/** The operations that hash a password. Pages and API share them, so that their attempts are counted together. */
export type SignInMethods = PasswordResets & {
  trySignIn: SignInAttempt
  trySignUp: SignUpAttempt
  changeSignIn: ChangeSignIn
  mailInvitation: MailInvitation
  /** Absent if the operator has set no SMTP server. */
  mails: SignInDeps['mails']
}

export const openSignInMethods = (deps: SignInDeps): SignInMethods => ({
  trySignIn: createSignInLimiter(deps),
  trySignUp: createSignUpAttempt(deps),
  changeSignIn: createSignInChanger(deps),
  mailInvitation: createInvitationMailer(deps),
  ...createPasswordResets(deps),
  mails: deps.mails,
})
