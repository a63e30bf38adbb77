import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { composeMail } from '#mail/composeMail.ts'
import type { SendMail } from '#mail/mail.ts'
import { accountMailTexts } from './accountMailTexts.ts'

/** Who gets a mail, in which language, and what their places in the queue are counted by. */
type MailReceiver = { to: string; language: DashboardLanguage; key: string }

/** The mails of accounts. None is waited for: an answer that took longer would tell that an address is known. */
export type AccountMails = {
  resetPassword(receiver: MailReceiver, url: string): void
  passwordChanged(receiver: MailReceiver): void
  confirmEmail(receiver: MailReceiver, url: string): void
  /** To the old address, when another one was entered. */
  emailRequested(receiver: MailReceiver): void
  /** To the old address, when another one was confirmed. */
  emailChanged(receiver: MailReceiver): void
  invitation(receiver: MailReceiver, invited: { team: string; url: string }): void
}

/** `baseUrl` ends with the version segment. */
type AccountMailsDeps = { sendMail: SendMail; baseUrl: string; environment: EnvironmentName }

/** Mail programs make links of addresses: a name of a team must not lead a stranger anywhere. */
const withoutLinks = (name: string) => name.replace(/[.:/@]/g, '$&\u200b')

export function openAccountMails({ sendMail, baseUrl, environment }: AccountMailsDeps): AccountMails {
  const { host } = new URL(baseUrl)
  const forgotUrl = `${baseUrl}/account/forgot`
  type MailTexts = (typeof accountMailTexts)['en']
  function send(
    { to, language, key }: MailReceiver,
    name: keyof MailTexts['mails'],
    { url, values = [] }: { url?: string; values?: string[] } = {},
  ): void {
    const texts: MailTexts = accountMailTexts[language]
    const place = environment === 'sandbox' ? `${host} (Sandbox)` : host
    const { subject, text, label, note } = texts.mails[name]
    const fill = (line: string) => line.replace(/\{(\d)\}/g, (_, at) => [place, ...values][Number(at)] ?? '')
    const content = {
      language,
      subject: fill(subject),
      paragraphs: [texts.hello, fill(text)],
      ...(url !== undefined && label !== undefined && { link: { label, url } }),
      notes: [fill(note)],
    }
    void sendMail({ purpose: 'account', key, to, ...composeMail(content) })
  }
  return {
    resetPassword: (receiver, url) => send(receiver, 'resetPassword', { url }),
    passwordChanged: (receiver) => send(receiver, 'passwordChanged', { url: forgotUrl }),
    confirmEmail: (receiver, url) => send(receiver, 'confirmEmail', { url }),
    emailRequested: (receiver) => send(receiver, 'emailRequested', { url: forgotUrl }),
    emailChanged: (receiver) => send(receiver, 'emailChanged'),
    invitation: (receiver, { team, url }) => send(receiver, 'invitation', { url, values: [withoutLinks(team)] }),
  }
}
