import { withConsentState } from '#consent/consentState.ts'
import { fault } from '#contract/fault.ts'
import type { Journey } from '#contract/journey.ts'
import { personalTexts } from '#contract/personalTexts.ts'
import { consentCheck } from '#delivery/consentCheck.ts'
import { type DecidedDelivery, deliveryFacts } from '#delivery/deliveryFacts.ts'
import { placesOfId } from '#event/dedupKeys.ts'
import { erasedUserId } from '#event/eraseEvents.ts'
import type { RecordEvent } from '#event/record.ts'
import { defined } from '#kit/defined.ts'
import { periodicYield } from '#kit/yieldToEventLoop.ts'
import { providers } from '#providers/index.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { AttemptRecord, DeploymentRecord, JournalEvent, TagRecord } from '#store/store.ts'
import type { EventPlace } from '#stream/stream.ts'
import { readCustomerId } from '#user/customer.ts'
import { type AttemptPage, pageAttempts } from './attemptPages.ts'
import { consentWarnings, proofOfJourney } from './carriedConsent.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { callerOf, readEventsAt } from './events.ts'
import { type ExchangesAt, loadExchanges } from './exchanges.ts'
import { maskOfEvent, mayReadUser, withoutPersonalTexts } from './maskTexts.ts'
import { afterRules, type RuledEvent, receivedEvent } from './receivedEvent.ts'
import { requireTag } from './tags.ts'

type JourneyDelivery = JournalEvent['deliveries'][number]
type Facts = Pick<Journey['deliveries'][number], 'why' | 'afterRules' | 'consentCheck'>
type PagedEvent = Omit<JournalEvent, 'deliveries'> & { deliveries: readonly AttemptPage[] }
type FactsOf = (delivery: JourneyDelivery) => Facts | undefined

type JourneyParts = {
  exchangesAt: ExchangesAt
  factsOf: FactsOf
  /** The key by which the event was attributed to a user, if it was. */
  joinedBy: NonNullable<Journey['joined']>['by']
}

/** The journey of an event whose deliveries are planned. */
const plannedJourney = (
  eventId: string,
  { eventName, userId, receivedAt, emailMatch, consent, place, deliveries }: PagedEvent,
  { exchangesAt, factsOf, joinedBy }: JourneyParts,
): Journey => ({
  eventId,
  eventName,
  userId,
  receivedAt,
  ...(emailMatch !== undefined && { joined: { by: joinedBy, userId: emailMatch } }),
  consent: withConsentState(consent),
  place,
  deliveries: deliveries.map((delivery) => {
    const { deliveryId, scriptId, providerId, status, reason, nextAt, replayId, attempts, earlierAttempts } = delivery
    return {
      ...{ deliveryId, scriptId, providerId, status },
      ...defined({ reason, nextAt, replayId, earlierAttempts }),
      ...factsOf(delivery),
      attempts: attempts.map((attempt) => toAttempt(attempt, exchangesAt)),
    }
  }),
})

function toAttempt(
  attempt: AttemptRecord,
  exchangesAt: ExchangesAt,
): Journey['deliveries'][number]['attempts'][number] {
  const { at, durationMs, httpStatus, message, joined } = attempt
  return {
    at,
    durationMs,
    ...defined({ status: httpStatus, message }),
    ...(joined !== undefined && { joined: { by: 'email', userId: joined } }),
    ...exchangesAt(attempt),
  }
}

/** The journey of an event that is accepted but not planned: it has neither consent nor deliveries. */
const unplannedJourney = ({ event, context, userId }: RecordEvent): Journey => ({
  eventId: event.eventId,
  eventName: event.eventName,
  userId,
  receivedAt: context.receivedAt,
  deliveries: [],
})

/** One of the events with this id. `recorded` is absent after retention has removed the event from the stream. */
type FoundPlace = { place: EventPlace; recorded: RecordEvent | undefined }

/** The event of the given caller; by default the first one, of the trusted caller. */
function chooseEvent(found: readonly FoundPlace[], caller: Journey['caller']): FoundPlace | undefined {
  if (!caller) return found[0]
  const candidate = caller === 'trusted' || found.length === 1 ? found[0] : found[1]
  return (
    found.find(({ recorded }) => recorded && callerOf(recorded) === caller) ??
    (candidate?.recorded ? undefined : candidate)
  )
}

type Deployed = { at: number; deployment: DeploymentRecord | undefined }

/** If two times have the same deployment, so do all times between them: two reads are enough for any number of times. */
async function fillBetween(
  read: (at: number) => Promise<Deployed>,
  times: readonly number[],
  [first, last]: readonly [Deployed, Deployed],
): Promise<Deployed[]> {
  if (times.length === 0) return []
  if (first.deployment?.number === last.deployment?.number)
    return times.map((at) => ({ at, deployment: last.deployment }))
  const middle = Math.floor(times.length / 2)
  const found = await read(times[middle]!)
  return [
    ...(await fillBetween(read, times.slice(0, middle), [first, found])),
    found,
    ...(await fillBetween(read, times.slice(middle + 1), [found, last])),
  ]
}

/** The deployments that were live when these deliveries reached their states, by time. */
async function deploymentsOf(
  deps: ControlDeps,
  { tagId }: TagRecord,
  deliveries: readonly JourneyDelivery[],
): Promise<Map<number, Snapshot>> {
  const times = [...new Set(deliveries.map(({ at }) => at))].sort((one, other) => one - other)
  const read = async (at: number) => ({ at, deployment: await deps.store.deploymentAt(tagId, at) })
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined) return new Map()
  const ends = [await read(first), await read(last)] as const
  const found = [...ends, ...(await fillBetween(read, times.slice(1, -1), ends))]
  return new Map(found.flatMap(({ at, deployment }) => (deployment ? [[at, deployment.snapshot] as const] : [])))
}

/** The facts behind each delivery's reason, from the deployment that was live at the decision. Runs in the team's turns. */
async function openFacts(
  deps: ControlDeps,
  tag: TagRecord,
  { consent, place, deliveries }: JournalEvent,
  more: Pick<DecidedDelivery, 'filteredBy' | 'recorded'> & { ruled?: RuledEvent },
): Promise<FactsOf> {
  const snapshots = await deploymentsOf(deps, tag, deliveries)
  const scriptsAt = new Map([...snapshots].map(([at, { scripts }]) => [at, Map.groupBy(scripts, scriptIdOf)]))
  const yieldPeriodically = periodicYield(deps.clock)
  const facts = new Map<JourneyDelivery, Facts>()
  for (const delivery of deliveries) {
    const { reason, status, scriptId, at } = delivery
    const script = scriptsAt.get(at)?.get(scriptId)?.[0]
    if (!script) continue
    const provider = providers[script.providerId]
    const channel = { script, ...(provider && { provider }), consent, settings: snapshots.get(at) }
    const why = reason && deliveryFacts({ reason, ...channel, place, at, ...more })
    const isChanged = status !== 'skipped' && more.ruled && !why?.payloadRefused
    const check = consentCheck(channel, reason === 'consent')
    facts.set(delivery, { consentCheck: check, ...(why && { why }), ...(isChanged && afterRules(script, more.ruled!)) })
    await yieldPeriodically()
  }
  return (delivery) => facts.get(delivery)
}

const scriptIdOf = ({ scriptId }: { scriptId: string }) => scriptId

export const readEvent: AnswerFor<'readEvent'> = async ({ params, query, access }, deps) => {
  const tag = await requireTag(deps, access, params.tagId)
  const found: FoundPlace[] = []
  for (const place of await placesOfId(params.eventId, tag, deps))
    found.push({ place, recorded: (await readEventsAt(deps, tag, place.position))[place.index] })
  const chosen = chooseEvent(found, query.caller)
  if (!chosen) throw fault('eventUnknown')
  const { place, recorded } = chosen
  const stored = await deps.store.journal.event(tag.tagId, place.position, place.index)
  if (!stored && !recorded) throw fault('eventUnknown')
  const event = stored && { ...stored, deliveries: pageAttempts(stored.deliveries, query.cursor) }
  const mayRead = mayReadUser(access)
  const { filteredBy, ruled, ...received } = recorded ? await receivedEvent(deps, tag, recorded, event?.place) : {}
  const facts = defined({ filteredBy, recorded, ruled })
  const journey = event
    ? plannedJourney(params.eventId, event, {
        exchangesAt: await loadExchanges(deps, tag, event),
        factsOf: await openFacts(deps, tag, event, facts),
        joinedBy: recorded && readCustomerId(recorded.event) !== undefined ? 'customerId' : 'email',
      })
    : unplannedJourney(recorded!)
  const keys = [true, false].map((trusted) => deps.keys.team(tag.teamId).eventKey(tag.tagId, params.eventId, trusted))
  const consentProof = stored && mayRead ? await proofOfJourney(deps, tag, stored, recorded) : undefined
  const warnings = recorded ? await consentWarnings(deps, tag, recorded) : []
  const repeats = await deps.store.journal.repeats(tag.tagId, keys)
  await deps.runLog.flush()
  const run = recorded?.context.trusted === false ? undefined : await deps.store.runs.ofEvent(tag.tagId, [keys[0]!])
  const answer: Journey = {
    ...journey,
    ...received,
    ...(consentProof && { consentProof }),
    ...(warnings.length > 0 && { consentWarnings: warnings }),
    ...(run && { run }),
    ...(repeats > 0 && { repeats }),
    ...(recorded && { caller: callerOf(recorded), trusted: recorded.context.trusted }),
    ...(journey.userId === erasedUserId && { isErased: true }),
    ...(found.length > 1 && { sameId: true }),
  }
  if (mayRead) return answer
  return { ...withoutPersonalTexts(personalTexts.readEvent!, answer, maskOfEvent(recorded)), redacted: true }
}
