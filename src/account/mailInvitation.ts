import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'
import { Fault } from '#contract/fault.ts'
import { createAttemptLimiter } from './attemptLimiter.ts'
import type { SignInDeps } from './signInLimiter.ts'

type InvitationMail = { teamId: string; to: string; url: string; language: DashboardLanguage }

/** Mails the link of an invitation. False if the operator has set no SMTP server, or the team has mailed too many. */
export type MailInvitation = (mail: InvitationMail) => Promise<boolean>

/** Twenty mails of a team in 15 minutes, because they go to any address. The link is shown besides. */
export function createInvitationMailer(deps: SignInDeps): MailInvitation {
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
