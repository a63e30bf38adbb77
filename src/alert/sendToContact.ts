import type { ContactKind } from '#contract/alertKinds.ts'
import type { EnvironmentName } from '#contract/me.ts'
import { tracedSend } from '#kit/trace.ts'
import type { SendRequest } from '#provider/engine/send.ts'
import { toWireRequest } from '#provider/engine/toWireRequest.ts'
import type { AlertText } from './alertText.ts'
import type { ContactSettings } from './contactPoint.ts'
import { toDiscord } from './receivers/discord.ts'
import { type AlertMail, toAlertMail } from './receivers/mailText.ts'
import { toPagerDuty } from './receivers/pagerDuty.ts'
import type { ReceiverRequest } from './receivers/receiver.ts'
import { toSignedWebhook } from './receivers/signedWebhook.ts'
import { toSlack } from './receivers/slack.ts'
import { toTeams } from './receivers/teams.ts'

/** Sends a mail through the operator's SMTP server, without retries. `refused`: the server will never accept it. */
export type SendAlertMail = (
  mail: AlertMail,
) => Promise<{ status: 'sent' } | { status: 'refused' | 'failed'; message: string }>

export type ContactSendDeps = {
  environment: EnvironmentName
  clock: { now(): number }
  send: SendRequest
  /** Absent without an SMTP server. */
  sendAlertMail?: SendAlertMail
}

/** A message to one contact point. `data`: the ids in the body of a webhook. */
export type ContactMessage = {
  teamId: string
  kind: ContactKind
  settings: ContactSettings
  text: AlertText
  dedupKey: string
  data: object
  unsubscribeUrl: string
}

/** `isFinal`: the receiver would refuse the message again. `afterMs`: the delay that the receiver asked for. */
export type ContactResult = { isSent: true } | { isSent: false; message: string; isFinal: boolean; afterMs?: number }

const maxWaitMs = 3_600_000

function toRequest({ kind, settings, text, dedupKey, data }: ContactMessage, deps: ContactSendDeps): ReceiverRequest {
  const { environment, clock } = deps
  const url = settings.url ?? ''
  switch (kind) {
    case 'slack':
      return toSlack(text, { url })
    case 'teams':
      return toTeams(text, { url })
    case 'discord':
      return toDiscord(text, { url })
    case 'pagerDuty':
      return toPagerDuty(text, { routingKey: settings.routingKey ?? '', dedupKey, source: `Aglet ${environment}` })
    default:
      return toSignedWebhook(text, {
        ...{ url, secret: settings.secret ?? '', now: clock.now() },
        data: { environment, ...data },
      })
  }
}

const retryAfterMs = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,6}$/.test(text) ? Math.min(Number(text) * 1_000, maxWaitMs) : undefined

/** A chat service permanently refuses a removed webhook. A team's own webhook may return after a deployment. */
const isFinalStatus = (status: number, kind: ContactKind) =>
  kind !== 'webhook' && status >= 400 && status < 500 && ![408, 425, 429].includes(status)

async function sendByMail(
  { teamId, settings, text, unsubscribeUrl }: ContactMessage,
  sendMail: SendAlertMail,
): Promise<ContactResult> {
  const result = await sendMail(toAlertMail(text, { teamId, to: settings.address ?? '', unsubscribeUrl }))
  if (result.status === 'sent') return { isSent: true }
  return { isSent: false, message: result.message, isFinal: result.status === 'refused' }
}

export async function sendToContact(message: ContactMessage, deps: ContactSendDeps): Promise<ContactResult> {
  const { kind, settings } = message
  if (!settings.isConfirmed) return { isSent: false, message: 'The address is not confirmed.', isFinal: true }
  if (kind === 'email') {
    if (deps.sendAlertMail) return sendByMail(message, deps.sendAlertMail)
    return {
      isSent: false,
      message: 'The server has no mail server. Ask the operator to set AGLET_SMTP_URL.',
      isFinal: false,
    }
  }
  const { spec, host } = toRequest(message, deps)
  const answer = await tracedSend(toWireRequest(spec, deps.clock.now()), true, (sent) => deps.send(sent, host))
  if ('failed' in answer) return { isSent: false, message: answer.message, isFinal: false }
  const { status, headers } = answer
  if (status >= 200 && status < 300) return { isSent: true }
  const afterMs = retryAfterMs(headers['retry-after'])
  const refusal = {
    isSent: false,
    message: `The receiver responded with ${status}.`,
    isFinal: isFinalStatus(status, kind),
  } as const
  return { ...refusal, ...(afterMs !== undefined && { afterMs }) }
}
