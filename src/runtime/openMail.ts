import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { MailQueue } from '#mail/mailQueue.ts'
import type { Settings } from '#settings/settings.ts'

/** The queue for the operator's SMTP server; undefined without one. The client is only loaded if needed. */
export async function openMail(
  { smtpUrl, smtpSender }: Pick<Settings, 'smtpUrl' | 'smtpSender'>,
  deps: { clock: Clock; log: Log },
  opened: AsyncDisposableStack,
): Promise<MailQueue | undefined> {
  if (smtpUrl === undefined || smtpSender === undefined) return undefined
  const [{ openMailQueue }, { sendBySmtp, toSmtpServer }] = await Promise.all([
    import('#mail/mailQueue.ts'),
    import('#mail/smtpClient.ts'),
  ])
  const server = toSmtpServer(smtpUrl)
  const queue = openMailQueue({ ...deps, sender: smtpSender, deliver: (message) => sendBySmtp(server, message) })
  opened.defer(queue.close)
  return queue
}
