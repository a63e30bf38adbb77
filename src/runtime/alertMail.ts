import type { SendAlertMail } from '#alert/sendToContact.ts'
import { composeMail } from '#mail/composeMail.ts'
import type { MailQueue } from '#mail/mailQueue.ts'

/** Sends mails about alerts. Each is tried once: retries are stored with their incident. */
export function alertMailer(mail: Pick<MailQueue, 'send'> | undefined): { sendAlertMail?: SendAlertMail } {
  if (!mail) return {}
  return {
    sendAlertMail: ({ teamId, to, unsubscribeUrl, ...content }) => {
      const mailed = { purpose: 'alert', key: teamId, to, ...composeMail(content) } as const
      return mail.send({ ...mailed, ...(unsubscribeUrl !== undefined && { unsubscribeUrl }) }, 1)
    },
  }
}
