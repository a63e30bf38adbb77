import type { Exchange } from '#contract/journey.ts'
import type { Reason, Status } from '#contract/outcome.ts'
import { exchangeOf } from '#journal/exchange.ts'
import type { Keep } from '#journal/keep.ts'
import type { Judgement } from '#provider/engine/judgement.ts'
import { type Redact, redactor } from '#provider/engine/redaction.ts'
import type { SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { formatIssues, parseIssues } from '#provider/form/eventIssues.ts'
import type { DueDelivery } from '#store/store.ts'
import { type Ended, poison, poisonTries, type Sent } from './ended.ts'
import { hiddenOf, type Ready } from './ready.ts'
import { type Failure, retry, type Standing, waitMs } from './retry.ts'
import type { DeliveryWorld } from './world.ts'

type EndedWorld = Pick<DeliveryWorld, 'clock' | 'random' | 'keep'>
type FaultWorld = EndedWorld & Pick<DeliveryWorld, 'log'>

/** A fault of our own: the event is tried again by the schedule, and never blamed on the vendor. */
export function failed(error: unknown, delivery: DueDelivery, on: FaultWorld): Ended {
  const { deliveryId, scriptId, providerId, receivedAt } = delivery
  on.log({ level: 'error', message: 'an attempt could not be made', deliveryId, scriptId, providerId, error })
  const now = on.clock.now()
  return retry({ verdict: 'retry', reason: 'poison' }, { ...countOf(delivery, on), now, receivedAt, eventAt: now })
}

/** Its requests cannot be made. */
export const spoilt = (error: unknown, delivery: DueDelivery, on: FaultWorld): Ended =>
  untilPoison(failed(error, delivery, on), delivery)

/** What fails by the event itself is given up after three tries. */
const untilPoison = (again: Ended, { spoilt = 0 }: DueDelivery): Ended =>
  spoilt + 1 < poisonTries ? { ...again, spoilt: true } : poison

const countOf = ({ attempts, free, lane }: DueDelivery, { random, keep }: EndedWorld) => ({
  counted: attempts + 1 - free,
  waitMs: waitMs(keep, lane === 'replay'),
  random: random(),
})

/** What a channel that sends nothing has to say of an event stands where others have the vendor's answer. */
export function recorded(said: readonly string[], ready: Ready): Ended {
  const line = formatIssues(said)
  const sent = { durationMs: 0, message: redactorOf([ready])(line), issues: parseIssues(line) }
  return { status: 'delivered', sent }
}

/** In the sandbox, where a vendor has no test mode, the request is made in full and goes nowhere. */
export function simulated(requests: readonly WireRequest[], ready: Ready, keep: Keep): Ended {
  const lines = requests.map(({ method, url, body = '' }) => `${method} ${url} (${Buffer.byteLength(body)} bytes)`)
  const redact = redactorOf([ready])
  const message = redact(`not sent: ${lines.join(', ')}`)
  const exchanges = requests.flatMap((request) => kept({ request, of: 1, isFailed: false }, () => redact, keep))
  return { status: 'simulated', sent: { durationMs: 0, message, ...(exchanges.length > 0 && { exchanges }) } }
}

/** Takes out the secrets of the channel of these deliveries, the token of their call, and all their people. */
export const redactorOf = (ready: readonly Ready[], token = ''): Redact =>
  redactor({ secrets: [...hiddenOf(ready[0]!), token], people: ready.map(({ outgoing }) => outgoing.person) })

type Exchanged = { request: WireRequest; answer?: SendResult; of: number; isFailed: boolean }

/** A call with its answer, where the operator keeps them: `of` so many deliveries. */
export function kept({ request, answer, of, isFailed }: Exchanged, redactorNow: () => Redact, keep: Keep): Exchange[] {
  if (keep.bodies === 'none' || (keep.bodies === 'failed' && !isFailed)) return []
  return [exchangeOf(request, answer, redactorNow(), of > 1)]
}

/** How a delivery stands that the vendor has not taken; the message of the judgement is redacted. */
export function notDelivered(judgement: Judgement, made: Sent, ready: Ready, on: EndedWorld): Ended {
  const { provider, outgoing, delivery } = ready
  const said = [judgement.message, made.message].filter(Boolean).join('\n')
  const sent = { ...made, ...(said && { message: said }) }
  const failure = failureOf(judgement)
  if ('status' in failure) return { ...failure, sent }
  const { maxAgeMs } = provider
  const standing: Standing = {
    ...countOf(delivery, on),
    now: on.clock.now(),
    receivedAt: delivery.receivedAt,
    eventAt: outgoing.event.timestamp,
    ...(maxAgeMs !== undefined && { maxAgeMs }),
  }
  const next = retry(failure, standing)
  return { ...(failure.reason === 'poison' ? untilPoison(next, delivery) : next), sent }
}

type Refused = { status: Extract<Status, 'refused'>; reason: Reason }

function failureOf({ verdict, reason, retryAfterMs }: Judgement): Failure | Refused {
  if (verdict === 'keyRejected') return { verdict, reason: 'keyRejected' }
  if (verdict === 'retry') return { verdict, reason: reason ?? 'vendorDown', ...(retryAfterMs && { retryAfterMs }) }
  return { status: 'refused', reason: reason ?? 'payloadRefused' }
}
