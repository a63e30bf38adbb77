import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { composeMail } from '#mail/composeMail.ts'
import type { SendMail } from '#mail/mail.ts'

/** `{0}` is the host of this server, `{1}` the name of a team. A subject line has no link and no secret. */
type MailText = { subject: string; text: string; label?: string; note: string }
type MailName = 'resetPassword' | 'passwordChanged' | 'confirmEmail' | 'emailRequested' | 'emailChanged' | 'invitation'
type AccountMailTexts = { hello: string; mails: Readonly<Record<MailName, MailText>> }

const accountMailTexts: Readonly<Record<DashboardLanguage, AccountMailTexts>> = {
  en: {
    hello: 'Hello,',
    mails: {
      resetPassword: {
        subject: 'Set a new password for Aglet at {0}',
        text: 'someone requested a new password for your account at {0}. If it was you, set one here:',
        label: 'Set a new password',
        note: 'The link works once and expires in an hour. If it was not you, ignore this mail; your password does not change.',
      },
      passwordChanged: {
        subject: 'Your password for Aglet at {0} was changed',
        text: 'the password of your account at {0} was changed. Your other sessions were ended.',
        label: 'If it was not you, set a new password',
        note: 'If it was not you, also tell the operator of this server.',
      },
      confirmEmail: {
        subject: 'Confirm your e-mail for Aglet at {0}',
        text: 'this address was entered for an account at {0}. Confirm that it is yours to sign in with it:',
        label: 'Confirm the address',
        note: 'The link works once and expires in seven days. If it was not you, ignore this mail.',
      },
      emailRequested: {
        subject: 'A new e-mail for your Aglet account at {0}',
        text: 'another e-mail was entered for your account at {0}. Until it is confirmed, you sign in with this one.',
        label: 'If it was not you, set a new password',
        note: 'A new password also discards the new e-mail.',
      },
      emailChanged: {
        subject: 'This e-mail no longer signs in to Aglet at {0}',
        text: 'another e-mail was confirmed for your account at {0}. You now sign in with it instead of this one.',
        note: 'If it was not you, tell the operator of this server at once.',
      },
      invitation: {
        subject: 'You are invited to Aglet at {0}',
        text: 'you are invited to the team “{1}” at {0}.',
        label: 'Join the team',
        note: 'The link works once. If you do not know the team, ignore this mail.',
      },
    },
  },
  de: {
    hello: 'Guten Tag,',
    mails: {
      resetPassword: {
        subject: 'Ein neues Passwort für Aglet auf {0}',
        text: 'für Ihr Konto auf {0} wurde ein neues Passwort angefordert. Wenn Sie das waren, vergeben Sie es hier:',
        label: 'Neues Passwort vergeben',
        note: 'Der Link gilt einmal, eine Stunde lang. Wenn Sie es nicht waren, tun Sie nichts: Ihr Passwort bleibt.',
      },
      passwordChanged: {
        subject: 'Ihr Passwort für Aglet auf {0} wurde geändert',
        text: 'das Passwort Ihres Kontos auf {0} wurde geändert, und Ihre anderen Sitzungen wurden beendet.',
        label: 'Sie waren es nicht? Neues Passwort vergeben',
        note: 'Wenn Sie es nicht waren, sagen Sie es auch dem Betreiber dieses Servers.',
      },
      confirmEmail: {
        subject: 'Bestätigen Sie Ihre E-Mail für Aglet auf {0}',
        text: 'diese Adresse wurde für ein Konto auf {0} eingegeben. Bestätigen Sie, dass sie Ihnen gehört; danach meldet sie an:',
        label: 'Adresse bestätigen',
        note: 'Der Link gilt einmal, sieben Tage lang. Wenn Sie es nicht waren, tun Sie nichts.',
      },
      emailRequested: {
        subject: 'Eine neue E-Mail für Ihr Konto bei Aglet auf {0}',
        text: 'für Ihr Konto auf {0} wurde eine andere E-Mail eingegeben. Bis sie bestätigt ist, meldet diese an.',
        label: 'Sie waren es nicht? Neues Passwort vergeben',
        note: 'Ein neues Passwort verwirft auch die andere E-Mail.',
      },
      emailChanged: {
        subject: 'Diese E-Mail meldet nicht mehr bei Aglet auf {0} an',
        text: 'eine andere E-Mail Ihres Kontos auf {0} wurde bestätigt und meldet jetzt an. Diese nicht mehr.',
        note: 'Wenn Sie es nicht waren, sagen Sie es sofort dem Betreiber dieses Servers.',
      },
      invitation: {
        subject: 'Sie sind zu Aglet auf {0} eingeladen',
        text: 'Sie sind auf {0} in das Team „{1}“ eingeladen.',
        label: 'Dem Team beitreten',
        note: 'Der Link gilt einmal. Wenn Sie das Team nicht kennen, tun Sie nichts.',
      },
    },
  },
}

/** `key`: the person or team that takes turns in the mail queue. */
type MailReceiver = { to: string; language: DashboardLanguage; key: string }

/** `baseUrl` ends with the version segment. */
type AccountMailsDeps = { sendMail: SendMail; baseUrl: string; environment: EnvironmentName }

/** Mail programs turn addresses into links: a team name must not become a link. */
const withoutLinks = (name: string) => name.replace(/[.:/@]/g, '$&\u200b')

/** The mails of accounts. No caller waits for them: a slower answer would reveal that an address is known. */
export function openAccountMails({ sendMail, baseUrl, environment }: AccountMailsDeps) {
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
    resetPassword: (receiver: MailReceiver, url: string) => send(receiver, 'resetPassword', { url }),
    passwordChanged: (receiver: MailReceiver) => send(receiver, 'passwordChanged', { url: forgotUrl }),
    confirmEmail: (receiver: MailReceiver, url: string) => send(receiver, 'confirmEmail', { url }),
    /** To the old address, after a new one was entered. */
    emailRequested: (receiver: MailReceiver) => send(receiver, 'emailRequested', { url: forgotUrl }),
    /** To the old address, after a new one was confirmed. */
    emailChanged: (receiver: MailReceiver) => send(receiver, 'emailChanged'),
    invitation: (receiver: MailReceiver, { team, url }: { team: string; url: string }) =>
      send(receiver, 'invitation', { url, values: [withoutLinks(team)] }),
  }
}

export type AccountMails = ReturnType<typeof openAccountMails>
