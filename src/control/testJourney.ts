import { withConsentState } from '#consent/consentState.ts'
import type { TagEvent } from '#contract/event.ts'
import type { Journey } from '#contract/journey.ts'
import { deliveryFacts } from '#delivery/deliveryFacts.ts'
import type { TestResult } from '#delivery/testRun.ts'
import { decodeExchange } from '#journal/encodedExchange.ts'
import { defined } from '#kit/defined.ts'
import { personOf } from '#provider/form/person.ts'
import { providers } from '#providers/index.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { AttemptRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'
import { afterRules, pluginSteps, type RuledEvent } from './receivedEvent.ts'

/** The event after the plugins, and the input of channel rules. */
type TestSteps = {
  shown: Pick<Journey, 'received' | 'afterPlugins'>
  ruled: Omit<RuledEvent, 'userId'>
}

/** Runs each plugin of the tag on an event, with the history of the visitor if one is named. */
export async function testSteps(
  deps: Pick<ControlDeps, 'profiles' | 'rates' | 'clock'>,
  tag: Snapshot,
  event: TagEvent,
  userId: string | null | undefined,
): Promise<TestSteps> {
  const own = userId ? await deps.profiles.get({ tag, userId }) : undefined
  const rates = deps.rates?.()
  const context = { history: own?.history ?? {}, now: deps.clock.now(), ...(rates && { rates }) }
  const afterPlugins = pluginSteps(event, tag, context)
  const ruled = {
    event: afterPlugins.findLast((step) => step.event)?.event ?? event,
    person: { ...own?.keys, ...personOf(event) },
  }
  return { shown: { received: event, afterPlugins }, ruled }
}

const toAttempt = ({ at, durationMs, httpStatus, message, exchanges }: AttemptRecord) => ({
  at,
  durationMs,
  ...defined({ status: httpStatus, message, exchanges: exchanges?.map(decodeExchange) }),
})

/** The deliveries of a test. A delivery that would be retried is shown in its state after the first attempt. */
function deliveriesOf({ planned, outcomes }: TestResult, tag: Snapshot, ruled: TestSteps['ruled']) {
  const { userId, receivedAt: at, consent, place } = planned
  const outcomeOf = new Map(outcomes.map((outcome) => [outcome.deliveryId, outcome]))
  return planned.deliveries.map(({ deliveryId, scriptId, providerId, ...decision }) => {
    const outcome = outcomeOf.get(deliveryId)
    const { status, reason } = outcome ?? decision
    const script = tag.scripts.find((each) => each.scriptId === scriptId)
    const provider = providers[providerId]
    const facts = {
      script: script!,
      ...(provider && { provider }),
      consent,
      settings: tag,
      place,
      at,
      ruled: { ...ruled, userId },
    }
    const why = reason && script && deliveryFacts({ reason, ...facts })
    return {
      ...{ deliveryId, scriptId, providerId, status },
      ...defined({ reason, why }),
      ...(script && status !== 'skipped' && afterRules(script, { ...ruled, userId })),
      attempts: outcome?.attempt ? [toAttempt(outcome.attempt)] : [],
    }
  })
}

/** The journey of an event that was planned and tested outside the journal. */
export function testJourney(
  { eventId }: Pick<TagEvent, 'eventId'>,
  result: TestResult,
  tag: Snapshot,
  { shown, ruled }: TestSteps,
): Journey {
  const { userId, eventName, receivedAt, consent, place } = result.planned
  const deliveries = deliveriesOf(result, tag, ruled)
  return { eventId, eventName, userId, receivedAt, consent: withConsentState(consent), place, ...shown, deliveries }
}
