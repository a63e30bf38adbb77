import MailComposer from 'nodemailer/lib/mail-composer'
import type { Clock } from '#kit/clock.ts'
import { fairQueue, QueueFull } from '#kit/fairQueue.ts'
import type { Log } from '#kit/log.ts'
import { isMailAddress, parseSender } from '#settings/mailSettings.ts'
import { oneLine } from './composeMail.ts'
import type { Mail, MailResult, SendMail } from './mail.ts'
import { MailError } from './mailError.ts'
import type { SmtpMessage } from './smtpClient.ts'

/** The state of the queue since the process started, for the operator. */
export type MailReport = {
  sent: number
  refused: number
  failed: number
  waiting: number
  lastFailure?: { at: number; message: string }
}

export type MailQueue = { send: SendMail; report(): MailReport; close(): Promise<void> }

type MailQueueDeps = {
  clock: Clock
  log: Log
  /** The setting AGLET_SMTP_SENDER */
  sender: string
  /** Sends one message to the server, without retries. Rejects with MailError. */
  deliver(message: SmtpMessage): Promise<void>
}

/** 10 s, 1 min, 5 min, 15 min, 40 min: all within an hour, the lifetime of the shortest-lived link. */
export const mailRetryDelaysMs = [10_000, 60_000, 300_000, 900_000, 2_400_000]
const queueLimits = { parallel: 4, parallelPerLane: 3, parallelPerKey: 2, maxPerLane: 1_000, maxPerKey: 200 }
/** The maximum mails of a purpose that wait for a turn or a retry: at most 20 MB. `ofKey`: of one team or person. */
const maxWaiting = { all: 1_000, ofKey: 200 }
const maxMailBytes = 20_000
/** How long shutdown waits for mails that are being sent. */
const closeMs = 5_000
const full = { status: 'failed', message: 'Too many mails are waiting.' } as const

async function toMessage(mail: Mail, sender: string): Promise<SmtpMessage> {
  const from = parseSender(sender)!
  const composer = new MailComposer({
    from,
    to: { name: '', address: mail.to },
    subject: oneLine(mail.subject).slice(0, 200),
    text: mail.text,
    html: mail.html,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      // https://www.rfc-editor.org/rfc/rfc2369#section-3.2
      ...(mail.unsubscribeUrl !== undefined && { 'List-Unsubscribe': `<${new URL(mail.unsubscribeUrl).href}>` }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return { from: from.address, to: mail.to, raw: await composer.compile().build() }
}

const refusal = ({ to, text, html }: Mail): MailResult | undefined => {
  if (!isMailAddress(to)) return { status: 'refused', message: 'Mail cannot be sent to this address.' }
  if (text.length + html.length > maxMailBytes) return { status: 'refused', message: 'The mail is too long.' }
  return undefined
}

/** Sends a mail in its turn, up to `tries` times, until the signal is aborted. Throws only on a bug. */
function openTries(
  { clock, log, sender, deliver }: MailQueueDeps,
  signal: AbortSignal,
): (mail: Mail, tries: number) => Promise<MailResult> {
  const turns = fairQueue(queueLimits)

  async function tryOnce({ purpose, key }: Mail, message: SmtpMessage): Promise<MailResult> {
    try {
      await turns.run({ lane: purpose, key }, () => deliver(message))
      return { status: 'sent' }
    } catch (error) {
      if (error instanceof QueueFull) return full
      if (error instanceof MailError) return { status: error.isFinal ? 'refused' : 'failed', message: error.message }
      throw error
    }
  }
  return async (mail, tries) => {
    const message = await toMessage(mail, sender)
    for (let number = 1; ; number++) {
      const result = await tryOnce(mail, message)
      if (result.status !== 'failed' || number >= tries || signal.aborted) return result
      log({
        level: 'warn',
        message: 'a mail failed and will be retried',
        purpose: mail.purpose,
        number,
        why: result.message,
      })
      await clock.wait(mailRetryDelaysMs[number - 1] ?? mailRetryDelaysMs.at(-1)!, signal)
      if (signal.aborted) return result
    }
  }
}

const sumOf = (counts: ReadonlyMap<string, number>) => counts.values().reduce((sum, count) => sum + count, 0)

/** A bounded queue in memory before the SMTP server. */
export function openMailQueue(deps: MailQueueDeps): MailQueue {
  const { clock, log } = deps
  const closing = new AbortController()
  const tryAll = openTries(deps, closing.signal)
  const waiting: Record<Mail['purpose'], Map<string, number>> = { account: new Map(), alert: new Map() }
  const running = new Set<Promise<MailResult>>()
  const report: Omit<MailReport, 'waiting'> = { sent: 0, refused: 0, failed: 0 }

  async function runBounded(mail: Mail, tries: number): Promise<MailResult> {
    const refused = refusal(mail)
    if (refused) return refused
    const own = waiting[mail.purpose]
    const ofKey = own.get(mail.key) ?? 0
    if (ofKey >= maxWaiting.ofKey || sumOf(own) >= maxWaiting.all) return full
    own.set(mail.key, ofKey + 1)
    try {
      return await tryAll(mail, tries)
    } catch (error) {
      log({ level: 'error', message: 'could not compose a mail', error })
      return { status: 'failed', message: 'The mail could not be composed.' }
    } finally {
      const left = own.get(mail.key)! - 1
      if (left > 0) own.set(mail.key, left)
      else own.delete(mail.key)
    }
  }
  function note({ purpose }: Mail, result: MailResult): MailResult {
    report[result.status]++
    if (result.status === 'sent') log({ message: 'a mail was sent', purpose })
    else {
      const isLogged = result !== full || report.lastFailure?.message !== full.message
      report.lastFailure = { at: clock.now(), message: result.message }
      if (isLogged)
        log({ level: 'error', message: 'a mail was not sent', purpose, status: result.status, why: result.message })
    }
    return result
  }
  return {
    async send(mail, tries = mailRetryDelaysMs.length + 1) {
      const run = runBounded({ ...mail }, tries)
      running.add(run)
      const result = await run
      running.delete(run)
      return note(mail, result)
    },
    report: () => ({ ...report, waiting: sumOf(waiting.account) + sumOf(waiting.alert) }),
    async close() {
      closing.abort()
      const done = new AbortController()
      await Promise.race([Promise.all(running).then(() => done.abort()), clock.wait(closeMs, done.signal)])
    },
  }
}
