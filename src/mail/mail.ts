/** What a mail is for. Each purpose has its own place in the queue: many alerts delay no sign-in. */
type MailPurpose = 'account' | 'alert'

/** A message to one address. `key`: the team or person that it is sent for; those of a purpose take turns. */
export type Mail = {
  purpose: MailPurpose
  key: string
  to: string
  subject: string
  text: string
  html: string
  /** An address of this server, without signs that end a header. */
  unsubscribeUrl?: string
}

/**
 * `sent`: the server has it. `refused`: it will never take it. `failed`: it was not reached or had no time, or too many
 * mails wait; the message may be sent again.
 */
export type MailResult = { status: 'sent' } | { status: 'refused' | 'failed'; message: string }

/**
 * Sends a mail, again and again for an hour unless `tries` says how often, and never rejects. What waits is in memory:
 * the end of the process ends it as `failed`.
 */
export type SendMail = (mail: Mail, tries?: number) => Promise<MailResult>
