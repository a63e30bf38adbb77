import type { Reason, Status } from '#contract/outcome.ts'
import { type Judgement, judge, strike } from '#provider/answer.ts'
import { type Built, buildRequests } from '#provider/build.ts'
import type { Provider } from '#provider/provider.ts'
import type { WireRequest } from '#provider/send.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import type { AttemptRow, DueDelivery, Settled } from '#store/store.ts'
import type { Channel } from './channel.ts'
import type { Events, Outgoing } from './events.ts'
import { type Failure, retry, type Standing } from './retry.ts'
import type { Plaintexts } from './secrets.ts'
import type { DeliveryWorld } from './world.ts'

export type AttemptWorld = Pick<
  DeliveryWorld,
  'environment' | 'clock' | 'log' | 'snapshots' | 'providers' | 'send' | 'random'
> & { events: Events; plaintexts: Plaintexts }

/** How an attempt ended, before it is put on record. `sent`: a request was made, or would have been outside the sandbox. */
type Ended = Pick<Settled, 'status' | 'reason' | 'nextAt' | 'free'> & { sent?: Sent }
type Sent = { durationMs: number; httpStatus?: number; message?: string }

/** All that the requests are made of. */
type Ready = { provider: Provider; script: SnapshotScript; outgoing: Outgoing; secrets: Record<string, string> }

/** An event whose requests cannot be made is given up after three tries. */
const poisonTries = 3
/** So many answers of 403 in a row, and it is not the event but the key. */
const forbiddenInARow = 5

/**
 * Makes one attempt, which is counted already, by the script as it is deployed now: a changed key helps what waits.
 * Never throws.
 */
export async function attempt(delivery: DueDelivery, channel: Channel, on: AttemptWorld): Promise<Settled> {
  const at = on.clock.now()
  const { sent, ...ended } = await make(delivery, channel, on).catch((error) => failed(error, delivery, on))
  const { deliveryId } = delivery
  const row = sent && { deliveryId, number: delivery.attempts + 1, at, ...sent }
  return { deliveryId, ...ended, ...(row && { attempt: row satisfies AttemptRow }) }
}

async function make(delivery: DueDelivery, channel: Channel, on: AttemptWorld): Promise<Ended> {
  const ready = await makeReady(delivery, on)
  if ('status' in ready) return ready
  const built = build(ready, delivery, on)
  if ('status' in built) return built
  if ('skipped' in built) return { status: 'skipped', reason: built.skipped }
  if (built.requests.length === 0) return { status: 'skipped', reason: 'filtered' }
  const isSimulated = on.environment === 'sandbox' && ready.provider.host !== 'customer'
  return isSimulated ? simulated(built.requests, ready) : send(built.requests, ready, { delivery, channel }, on)
}

/** What is needed to make the requests; or why there will be none. */
async function makeReady({ tagId, scriptId, position, index }: DueDelivery, on: AttemptWorld): Promise<Ready | Ended> {
  const tag = on.snapshots.get(tagId)
  const script = tag && scriptsOf(tag).get(scriptId)
  if (!tag || !script) return { status: 'dead', reason: 'erased' }
  const provider = on.providers[script.providerId]
  if (!provider) return { status: 'skipped', reason: 'eventNotSupported' }
  const outgoing = await on.events.outgoing({ position, index }, tag)
  if (!outgoing) return { status: 'dead', reason: 'expired' }
  return { provider, script, outgoing, secrets: await on.plaintexts(tag, script) }
}

const scripts = new WeakMap<Snapshot, ReadonlyMap<string, SnapshotScript>>()

function scriptsOf(tag: Snapshot): ReadonlyMap<string, SnapshotScript> {
  const known = scripts.get(tag)
  if (known) return known
  const byId = new Map(tag.scripts.map((script) => [script.scriptId, script]))
  scripts.set(tag, byId)
  return byId
}

function build({ provider, script, outgoing, secrets }: Ready, delivery: DueDelivery, on: AttemptWorld): Built | Ended {
  const { purchaseValueMode, providerId } = script
  try {
    return buildRequests(providerId, provider, { ...outgoing, purchaseValueMode, secrets, now: on.clock.now() })
  } catch (error) {
    if (delivery.attempts + 1 < poisonTries) throw error
    tell(error, delivery, on)
    return { status: 'dead', reason: 'poison' }
  }
}

/** A fault of our own: the event is tried again by the schedule, and never blamed on the vendor. */
function failed(error: unknown, delivery: DueDelivery, on: AttemptWorld): Ended {
  tell(error, delivery, on)
  const now = on.clock.now()
  const { receivedAt } = delivery
  return retry({ verdict: 'again', reason: 'poison' }, { ...countOf(delivery, on), now, receivedAt, eventAt: now })
}

const tell = (error: unknown, { deliveryId, scriptId, providerId }: DueDelivery, { log }: AttemptWorld) =>
  log({ level: 'error', message: 'an attempt could not be made', deliveryId, scriptId, providerId, error })

const countOf = ({ attempts, free }: DueDelivery, { random }: AttemptWorld) => ({
  counted: attempts + 1 - free,
  random: random(),
})

/** In the sandbox the request is made in full and goes nowhere, except to addresses that the customer sets. */
function simulated(requests: readonly WireRequest[], { secrets, outgoing }: Ready): Ended {
  const lines = requests.map(({ method, url, body = '' }) => `${method} ${url} (${Buffer.byteLength(body)} bytes)`)
  const message = strike(`not sent: ${lines.join(', ')}`, Object.values(secrets), outgoing.person)
  return { status: 'simulated', sent: { durationMs: 0, message } }
}

type Way = { delivery: DueDelivery; channel: Channel }

/** Sends the requests in their order, up to the first that is not delivered. */
async function send(requests: readonly WireRequest[], ready: Ready, way: Way, on: AttemptWorld): Promise<Ended> {
  const { provider, secrets, outgoing } = ready
  let durationMs = 0
  let httpStatus: number | undefined
  for (const request of requests) {
    const answer = await on.send(request, provider.host)
    durationMs += answer.durationMs
    httpStatus = 'status' in answer ? answer.status : undefined
    const judgement = judge(provider, answer, on.clock.now())
    way.channel.forbidden = judgement.forbidden ? way.channel.forbidden + 1 : 0
    if (judgement.verdict === 'delivered') continue
    const message = judgement.message && strike(judgement.message, Object.values(secrets), outgoing.person)
    const sent = { durationMs, ...(httpStatus && { httpStatus }), ...(message && { message }) }
    return { ...notDelivered(judgement, ready, way, on), sent }
  }
  return { status: 'delivered', sent: { durationMs, ...(httpStatus && { httpStatus }) } }
}

function notDelivered(
  judgement: Judgement,
  { provider, outgoing }: Ready,
  { delivery, channel }: Way,
  on: AttemptWorld,
): Ended {
  const failure = failureOf(judgement, channel)
  if ('status' in failure) return failure
  const now = on.clock.now()
  if (failure.retryAfterMs !== undefined) channel.pausedUntil = now + failure.retryAfterMs
  const { maxAgeMs } = provider
  const { receivedAt } = delivery
  const standing: Standing = { ...countOf(delivery, on), now, receivedAt, eventAt: outgoing.event.timestamp }
  return retry(failure, { ...standing, ...(maxAgeMs !== undefined && { maxAgeMs }) })
}

type Refused = { status: Extract<Status, 'refused'>; reason: Reason }

function failureOf({ verdict, reason, retryAfterMs }: Judgement, { forbidden }: Channel): Failure | Refused {
  if (forbidden >= forbiddenInARow) return { verdict: 'keyRejected', reason: 'keyRejected' }
  if (verdict === 'keyRejected') return { verdict, reason: 'keyRejected' }
  if (verdict === 'again') return { verdict, reason: reason ?? 'vendorDown', ...(retryAfterMs && { retryAfterMs }) }
  return { status: 'refused', reason: reason ?? 'payloadRefused' }
}
