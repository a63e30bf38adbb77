/** The purpose of a mail. Each purpose has its own part of the queue, so that many alerts delay no sign-in mail. */
type MailPurpose = 'account' | 'alert'

/** A message to one address. `key`: the team or person that it is sent for. Keys of one purpose take turns. */
export type Mail = {
  purpose: MailPurpose
  key: string
  to: string
  subject: string
  text: string
  html: string
  /** A URL of this server, without characters that end a header. */
  unsubscribeUrl?: string
}

/**
 * `sent`: the server accepted it. `refused`: the server will never accept it. `failed`: the server was unreachable or
 * timed out, or too many mails are waiting; the message may be sent again.
 */
export type MailResult = { status: 'sent' } | { status: 'refused' | 'failed'; message: string }

/**
 * Sends a mail and retries for an hour, or `tries` times. Never rejects. Waiting mails are only in memory: if the
 * process ends, they end as `failed`.
 */
export type SendMail = (mail: Mail, tries?: number) => Promise<MailResult>
