import type { Reason, Status } from '#contract/outcome.ts'
import { type Judgement, judge, strike } from '#provider/answer.ts'
import { type Built, buildRequests } from '#provider/build.ts'
import type { Provider } from '#provider/provider.ts'
import { reachOf, type WireRequest } from '#provider/send.ts'
import type { TokenOf, Tokens } from '#provider/tokens.ts'
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
> & { events: Events; plaintexts: Plaintexts; tokens: Tokens }

/** How an attempt ended, before it is put on record. `sent`: a request was made, or would have been outside the sandbox. */
type Ended = Pick<Settled, 'status' | 'reason' | 'nextAt' | 'free'> & { sent?: Sent }
type Sent = { durationMs: number; httpStatus?: number; message?: string }

/** All that the requests are made of; `test` where they are for the vendor's own test mode. */
type Ready = {
  provider: Provider
  script: SnapshotScript
  outgoing: Outgoing
  secrets: Record<string, string>
  token?: string
  test?: true
}

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
  if (ready.provider.records) return recorded(ready.provider.records(ready.outgoing.event), ready)
  if (built.requests.length === 0) return { status: 'skipped', reason: 'filtered' }
  const way = { delivery, channel }
  const isReal = on.environment === 'production' || ready.provider.host === 'customer'
  if (isReal) return send(built.requests, ready, way, on)
  const tests = ready.provider.test && build({ ...ready, test: true }, delivery, on)
  return tests && 'requests' in tests && tests.requests.length > 0
    ? send(tests.requests, { ...ready, test: true }, way, on)
    : simulated(built.requests, ready)
}

/** What is needed to make the requests; or why there will be none. */
async function makeReady({ tagId, scriptId, position, index }: DueDelivery, on: AttemptWorld): Promise<Ready | Ended> {
  const tag = on.snapshots.get(tagId)
  const script = tag && scriptsOf(tag).get(scriptId)
  if (!tag || !script) return { status: 'dead', reason: 'erased' }
  const provider = on.providers[script.providerId]
  if (!provider) return { status: 'skipped', reason: 'eventNotSupported' }
  const outgoing = await on.events.outgoing({ position, index }, tag)
  if (outgoing === 'filtered') return { status: 'skipped', reason: outgoing }
  if (typeof outgoing === 'string') return { status: 'dead', reason: outgoing }
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

function build({ provider, script, outgoing, ...more }: Ready, delivery: DueDelivery, on: AttemptWorld): Built | Ended {
  const { purchaseValueMode, providerId } = script
  try {
    return buildRequests(providerId, provider, { ...outgoing, ...more, purchaseValueMode, now: on.clock.now() })
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

/** What a channel that sends nothing has to say of an event stands where others have the vendor's answer. */
function recorded(said: readonly string[], { secrets, outgoing }: Ready): Ended {
  const message = strike(said.length > 0 ? said.join('; ') : 'no issues', Object.values(secrets), outgoing.person)
  return { status: 'delivered', sent: { durationMs: 0, message } }
}

/** In the sandbox, where a vendor has no test mode, the request is made in full and goes nowhere. */
function simulated(requests: readonly WireRequest[], { secrets, outgoing }: Ready): Ended {
  const lines = requests.map(({ method, url, body = '' }) => `${method} ${url} (${Buffer.byteLength(body)} bytes)`)
  const message = strike(`not sent: ${lines.join(', ')}`, Object.values(secrets), outgoing.person)
  return { status: 'simulated', sent: { durationMs: 0, message } }
}

type Way = { delivery: DueDelivery; channel: Channel }

const tokenOf = ({ script: { scriptId, providerId }, provider, secrets }: Ready): TokenOf => ({
  scriptId,
  providerId,
  provider,
  secrets,
})

/** The requests with the token that they need; they stay as they are where they need none. */
async function signedIn(
  requests: readonly WireRequest[],
  ready: Ready,
  way: Way,
  on: AttemptWorld,
): Promise<{ requests: readonly WireRequest[]; token: string } | Ended> {
  if (!ready.provider.before) return { requests, token: '' }
  const fetched = await on.tokens.get(tokenOf(ready))
  if ('refused' in fetched) return notDelivered(fetched.refused, { durationMs: 0 }, ready, way, on)
  const { token } = fetched
  const built = build({ ...ready, token }, way.delivery, on)
  if ('skipped' in built) return { status: 'skipped', reason: built.skipped }
  return 'status' in built ? built : { ...built, token }
}

/** Sends the requests in their order, up to the first that is not delivered. A token that is refused is fetched anew, once. */
async function send(made: readonly WireRequest[], ready: Ready, way: Way, on: AttemptWorld): Promise<Ended> {
  let held = await signedIn(made, ready, way, on)
  if ('status' in held) return held
  const sent: Sent = { durationMs: 0 }
  for (let at = 0, isRenewed = !ready.provider.before; at < held.requests.length; ) {
    const answer = await on.send(held.requests[at]!, reachOf(ready.script.providerId, ready.provider))
    sent.durationMs += answer.durationMs
    if ('status' in answer) sent.httpStatus = answer.status
    else delete sent.httpStatus
    const judgement = judge(ready.provider, answer, on.clock.now())
    way.channel.forbidden = judgement.forbidden ? way.channel.forbidden + 1 : 0
    if (judgement.verdict === 'delivered') at++
    else if (judgement.verdict !== 'keyRejected' || isRenewed) return notDelivered(judgement, sent, ready, way, on)
    else {
      isRenewed = true
      on.tokens.drop(tokenOf(ready), held.token)
      held = await signedIn(made, ready, way, on)
      if ('status' in held) return held
    }
  }
  return { status: 'delivered', sent }
}

function notDelivered(judgement: Judgement, made: Sent, ready: Ready, way: Way, on: AttemptWorld): Ended {
  const { provider, outgoing, secrets } = ready
  const message = judgement.message && strike(judgement.message, Object.values(secrets), outgoing.person)
  const sent = { ...made, ...(message && { message }) }
  const failure = failureOf(judgement, way.channel)
  if ('status' in failure) return { ...failure, sent }
  const now = on.clock.now()
  if (failure.retryAfterMs !== undefined) way.channel.pausedUntil = now + failure.retryAfterMs
  const { maxAgeMs } = provider
  const { receivedAt } = way.delivery
  const standing: Standing = { ...countOf(way.delivery, on), now, receivedAt, eventAt: outgoing.event.timestamp }
  return { ...retry(failure, { ...standing, ...(maxAgeMs !== undefined && { maxAgeMs }) }), sent }
}

type Refused = { status: Extract<Status, 'refused'>; reason: Reason }

function failureOf({ verdict, reason, retryAfterMs }: Judgement, { forbidden }: Channel): Failure | Refused {
  if (forbidden >= forbiddenInARow) return { verdict: 'keyRejected', reason: 'keyRejected' }
  if (verdict === 'keyRejected') return { verdict, reason: 'keyRejected' }
  if (verdict === 'again') return { verdict, reason: reason ?? 'vendorDown', ...(retryAfterMs && { retryAfterMs }) }
  return { status: 'refused', reason: reason ?? 'payloadRefused' }
}
