import type { AlertText } from '#alert/alertText.ts'

/** A mail about an alert. `subject` and every text are one line each. */
export type AlertMail = {
  teamId: string
  to: string
  language: 'en'
  subject: string
  paragraphs: readonly string[]
  link?: { label: string; url: string }
  notes: readonly string[]
}

export const toAlertMail = ({ title, facts, url }: AlertText, to: { teamId: string; to: string }): AlertMail => ({
  ...to,
  language: 'en',
  subject: title,
  paragraphs: facts.map(([label, value]) => `${label}: ${value}`),
  link: { label: 'Open', url },
  notes: ['A contact point of your team sends you these messages. Remove it on the page Alerts to get no more.'],
})

/** The mail with the code that confirms an address. It names the team's server and nothing that a stranger wrote. */
export const toCodeMail = (code: string, to: { teamId: string; to: string }): AlertMail => ({
  ...to,
  language: 'en',
  subject: 'Confirm this address for alerts',
  paragraphs: [
    'A team wants to send its alerts to this address.',
    `Enter this code on the page Alerts to confirm it: ${code}`,
  ],
  notes: ['The code works for a day. If you do not expect it, do nothing: the address then gets no alerts.'],
})
