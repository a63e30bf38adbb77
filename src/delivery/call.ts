import type { Exchange } from '#contract/journey.ts'
import type { RequestBatch } from '#provider/engine/buildBatches.ts'
import { type Judgement, judge, judgementOf } from '#provider/engine/judgement.ts'
import { type NextStep, type StepResults, stepResult } from '#provider/engine/nextStep.ts'
import { type EventJudgements, judgePartialFailures } from '#provider/engine/partialFailures.ts'
import { type Redact, redactMessages } from '#provider/engine/redaction.ts'
import type { SendResult } from '#provider/engine/send.ts'
import type { TokenCache } from '#provider/engine/tokenCache.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { type Calls, type CallsWorld, makeCalls } from './calls.ts'
import { type Channel, hear, stopOf } from './channel.ts'
import type { Ended, Sent } from './ended.ts'
import { kept, notDelivered, redactorOf, spoilt } from './endings.ts'
import { type Ready, tokenOf } from './ready.ts'
import { type RunWorld, runCode } from './run.ts'
import type { DeliveryWorld } from './world.ts'

export type CallWorld = CallsWorld & RunWorld & Pick<DeliveryWorld, 'send' | 'keep'> & { tokens: TokenCache }

/**
 * Deliveries of one channel on their way together, at least one; `test` where they go to the vendor's own test mode.
 * `redactorFor` gives what takes out all people of the batch that they were first sent with, by the token of the call.
 */
export type Way = { ready: readonly Ready[]; channel: Channel; test?: true; redactorFor?: RedactorFor }
type RedactorFor = (token: string) => Redact
type RedactedWay = Way & Required<Pick<Way, 'redactorFor'>>

/** Made when it is first needed: a call that goes well needs none. */
function redactorForAll(ready: readonly Ready[]): RedactorFor {
  let made: { token: string; redact: Redact } | undefined
  return (token) => {
    if (made?.token !== token) made = { token, redact: redactorOf(ready, token) }
    return made.redact
  }
}

/** How far they are: the calls that are made, and how each delivery stands, by its place. */
type Course = { calls: readonly RequestBatch[]; ended: Map<number, Ended>; isRenewed: boolean; token: string }
/** `left`: those of its deliveries, by their row, that the vendor left out. */
type Heard = { judgement: Judgement; left: EventJudgements; answer: SendResult; request?: WireRequest }

/**
 * Makes the calls in their order and says how each delivery ended. Of one that takes several calls, those after a call that
 * failed are left out.
 */
export async function callAll({ calls, ended }: Calls, asked: Way, on: CallWorld): Promise<Ended[]> {
  const way = { ...asked, redactorFor: asked.redactorFor ?? redactorForAll(asked.ready) }
  const course: Course = { calls, ended: new Map(ended), isRenewed: false, token: '' }
  const refused = calls.length > 0 && (await signIn(course, way, on))
  if (refused) {
    const judgement = redacted([refused], () => way.redactorFor(course.token))[0]!
    return way.ready.map((each, place) => course.ended.get(place) ?? notTold(judgement, each, on))
  }
  for (let at = 0; at < course.calls.length; at++) {
    const { eventIndexes } = course.calls[at]!
    if (eventIndexes.some((place) => isOver(course.ended.get(place)))) continue
    const stop = stopOf(way.channel, on.clock.now())
    if (stop) for (const place of eventIndexes) course.ended.set(place, waiting(stop, on))
    else if (course.calls[at]!.nextStep) await sendSteps(at, course, way, on)
    else await conclude(eventIndexes, await ask(at, course, way, on), { course, way }, on)
  }
  return way.ready.map((_, place) => course.ended.get(place)!)
}

const isOver = (ended: Ended | undefined) => ended !== undefined && ended.status !== 'delivered'
const notTold = (refused: Judgement, ready: Ready, on: CallWorld) => notDelivered(refused, { durationMs: 0 }, ready, on)

/** The channel was stopped before it was its turn. */
const waiting = (reason: NonNullable<Ended['reason']>, { clock }: CallWorld): Ended => ({
  status: 'pending',
  reason,
  nextAt: clock.now(),
  free: true,
})

/** Makes the calls anew with the token that they need; what was said instead of one. */
async function signIn(course: Course, { ready, channel, test }: Way, on: CallWorld): Promise<Judgement | undefined> {
  const of = tokenOf(ready[0]!)
  if (!of.provider.tokenRequest) return undefined
  if (course.isRenewed) on.tokens.drop(of, course.token)
  const begunAt = on.clock.now()
  const fetched = await on.tokens.get(of)
  if ('refused' in fetched) {
    return hear(channel, fetched.refused, { begunAt, now: on.clock.now() })
  }
  const { calls, ended } = makeCalls(ready, { token: fetched.token, ...(test && { testMode: true }) }, on)
  for (const [place, each] of ended) course.ended.set(place, each)
  Object.assign(course, { calls, token: fetched.token })
  return undefined
}

/**
 * Sends the steps of one delivery, each after the one before is delivered, beginning after those that an earlier attempt sent.
 * A delivery that waits for another attempt keeps the results of its steps.
 */
async function sendSteps(at: number, course: Course, way: RedactedWay, on: CallWorld): Promise<void> {
  const place = course.calls[at]!.eventIndexes[0]!
  const ready = way.ready[place]!
  const results = [...(ready.delivery.stepResults ?? [])]
  const end = (ended: Ended) =>
    void course.ended.set(
      place,
      ended.status === 'pending' && results.length > 0 ? { ...ended, stepResults: results } : ended,
    )
  for (;;) {
    let step: ReturnType<NextStep>
    try {
      step = course.calls[at]?.nextStep?.(results)
    } catch (error) {
      return end(spoilt(error, ready.delivery, on))
    }
    if (!step) return
    const sent = course.ended.get(place)?.sent
    if ('skipped' in step) return end({ status: 'skipped', reason: step.skipped, ...(sent && { sent }) })
    const stop = stopOf(way.channel, on.clock.now())
    if (stop) return end({ ...waiting(stop, on), ...(sent && { sent }) })
    const heard = await ask(at, course, way, on, results)
    await conclude([place], heard, { course, way }, on)
    const ended = course.ended.get(place)!
    if (ended.status !== 'delivered') return end(ended)
    results.push(stepResult(step, heard.answer))
  }
}

/** Makes a call, or the step of it that follows these results; where its token is refused, once more with another. */
async function ask(at: number, course: Course, way: Way, on: CallWorld, results?: StepResults): Promise<Heard> {
  const { provider } = way.ready[0]!
  const call = async (): Promise<Heard> => {
    const batch = course.calls[at]!
    const { eventIndexes } = batch
    const step = results && batch.nextStep?.(results)
    const { request, responseRules } = step && 'request' in step ? step : { ...batch, responseRules: [] }
    way.channel.host = URL.parse(request.url)?.host ?? ''
    const answer = provider.code
      ? await runCode(request, provider.code, way.ready[eventIndexes[0]!]!, on)
      : await on.send(request, provider.host)
    const rules = [...responseRules, ...(provider.responseRules ?? [])]
    const whole = judge({ responseRules: rules }, answer, on.clock.now())
    const left = judgePartialFailures(provider, batch, answer, whole)
    // what took none of its rows is heard as they say, whatever its status
    const judgement = left.size === eventIndexes.length ? left.get(0)! : whole
    return { answer, request, judgement, left }
  }
  const begunAt = on.clock.now()
  let heard = await call()
  if (heard.judgement.verdict === 'keyRejected' && provider.tokenRequest && !course.isRenewed) {
    course.isRenewed = true
    const refused = await signIn(course, way, on)
    if (refused) return { ...heard, judgement: refused }
    if (course.calls[at]) heard = await call()
  }
  return { ...heard, judgement: hear(way.channel, heard.judgement, { begunAt, now: on.clock.now() }) }
}

/** Writes down how the deliveries of a call ended. Of many that are refused together the halves are tried. */
async function conclude(
  of: readonly number[],
  { judgement, left, answer, request }: Heard,
  { course, way }: { course: Course; way: RedactedWay },
  on: CallWorld,
): Promise<void> {
  if (of.length > 1 && judgement.reason === 'payloadRefused' && left.size === 0) return halve(of, { course, way }, on)
  const isFailed = judgement.verdict !== 'delivered' || left.size > 0
  // All events of a call that goes well have its address and headers alike: what names the first names every one of them.
  const redactorNow = () => (isFailed ? way.redactorFor(course.token) : redactorOf([way.ready[of[0]!]!], course.token))
  const exchanges = request ? kept({ request, answer, of: of.length, isFailed }, redactorNow, on.keep) : []
  const judgements = left.size > 0 ? of.map((_, row) => left.get(row) ?? judgementOf('delivered')) : [judgement]
  const each = redacted(judgements, redactorNow)
  of.forEach((place, row) => {
    const sent = sentTo(answer, course.ended.get(place)?.sent, exchanges)
    course.ended.set(place, endedBy(each[row] ?? each[0]!, sent, way.ready[place]!, on))
  })
}

/** The same judgements with their messages as they may be kept. */
function redacted(judgements: readonly Judgement[], redactorNow: () => Redact): Judgement[] {
  const said = judgements.map(({ message = '' }) => message)
  if (said.every((message) => message === '')) return [...judgements]
  const messages = redactMessages(said, redactorNow())
  return judgements.map((judgement, n) => ({ ...judgement, ...(messages[n] && { message: messages[n] }) }))
}

const endedBy = (judgement: Judgement, sent: Sent, ready: Ready, on: CallWorld): Ended =>
  judgement.verdict === 'delivered' ? { status: 'delivered', sent } : notDelivered(judgement, sent, ready, on)

/** What all its calls took together; the status is the last one's. */
const sentTo = (answer: SendResult, before: Sent | undefined, exchanges: readonly Exchange[]): Sent => ({
  durationMs: (before?.durationMs ?? 0) + answer.durationMs,
  ...(exchanges.length > 0 && { exchanges: [...(before?.exchanges ?? []), ...exchanges] }),
  ...('status' in answer && { httpStatus: answer.status }),
  ...(answer.codeLog && { message: answer.codeLog }),
})

/** One event that is refused costs its call one more call for each halving, and the others nothing. */
async function halve(
  of: readonly number[],
  { course, way }: { course: Course; way: Way },
  on: CallWorld,
): Promise<void> {
  const middle = Math.ceil(of.length / 2)
  for (const half of [of.slice(0, middle), of.slice(middle)]) {
    const ready = half.map((place) => way.ready[place]!)
    const calls = makeCalls(ready, way.test ? { testMode: true } : {}, on)
    const ended = await callAll(calls, { ...way, ready }, on)
    half.forEach((place, row) => void course.ended.set(place, ended[row]!))
  }
}
