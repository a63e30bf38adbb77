import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { ReplayCandidate, ReplayCounts, ReplayTally } from '#store/replays.ts'
import type { PlannedEvent } from '#store/store.ts'
import { scriptOf } from './attemptContext.ts'
import { type RedecideDeps, redecide } from './decide.ts'
import type { OutboundEvents } from './outboundEvents.ts'
import { isWithdrawn, laterOf, type ResolvedEvent } from './resolveEvent.ts'
import { untilStoreAnswers } from './untilStoreAnswers.ts'

export type ReplayDecisionDeps = RedecideDeps & { events: Pick<OutboundEvents, 'at'> }

/**
 * The decision on one delivery of a replay, and the new plan of its event. Without `skipReason`, the delivery is sent
 * again.
 */
type ReplayDecision = { candidate: ReplayCandidate; planned?: PlannedEvent; skipReason?: DeliveryReason }

/**
 * Decides which deliveries of a replay are sent, using the current deployment, locations, age limits and consents.
 */
export async function decideReplay(
  candidates: readonly ReplayCandidate[],
  tag: Snapshot,
  deps: ReplayDecisionDeps,
): Promise<ReplayDecision[]> {
  const decisions: ReplayDecision[] = []
  for (const ofEvent of byEvent(candidates)) decisions.push(...(await decideReplayOfEvent(ofEvent, tag, deps)))
  return decisions
}

/** Groups the candidates by event. Candidates of one event are adjacent. */
function byEvent(candidates: readonly ReplayCandidate[]): ReplayCandidate[][] {
  const events: ReplayCandidate[][] = []
  for (const each of candidates) {
    const [before] = events.at(-1) ?? []
    if (before?.position === each.position && before.index === each.index) events.at(-1)!.push(each)
    else events.push([each])
  }
  return events
}

async function decideReplayOfEvent(
  candidates: readonly ReplayCandidate[],
  tag: Snapshot,
  deps: ReplayDecisionDeps,
): Promise<ReplayDecision[]> {
  const { position, index } = candidates[0]!
  const skipAll = (skipReason: DeliveryReason) => candidates.map((candidate) => ({ candidate, skipReason }))
  try {
    const record = await untilStoreAnswers('read an event of a replay', () => deps.events.at(position, tag), deps)
    if (!record) return skipAll('expired')
    const { planned, resolved } = await redecide(record, index, tag, deps)
    return candidates.map((candidate) => {
      const isRefused = resolved !== undefined && isCandidateWithdrawn(candidate, resolved, deps)
      const skipReason = planSkipReason(candidate, planned) ?? (isRefused ? 'consent' : undefined)
      return { candidate, planned, ...(skipReason && { skipReason }) }
    })
  } catch (error) {
    deps.log({ level: 'error', message: 'could not replay an event', tagId: tag.tagId, position, index, error })
    return skipAll('poison')
  }
}

function planSkipReason({ scriptId }: ReplayCandidate, { deliveries }: PlannedEvent): DeliveryReason | undefined {
  const plannedDelivery = deliveries.find((each) => each.scriptId === scriptId)
  if (!plannedDelivery) return 'erased'
  return plannedDelivery.status === 'pending' ? undefined : (plannedDelivery.reason ?? 'filtered')
}

function isCandidateWithdrawn(
  { scriptId, providerId }: ReplayCandidate,
  resolved: ResolvedEvent,
  { providers }: Pick<ReplayDecisionDeps, 'providers'>,
): boolean {
  const { tag } = resolved
  const script = scriptOf(tag, scriptId)
  const provider = providers[providerId]
  const category = script?.consentCategory ?? provider?.consent[0]
  const later = laterOf(resolved, provider?.limitedUse)
  return script !== undefined && category !== undefined && isWithdrawn(later, tag, script, category)
}

const none: ReplayCounts = { matched: 0, replayed: 0, left: {} }

/** The tally with these decisions added. */
export function addToTally(tally: ReplayTally, decisions: readonly ReplayDecision[]): ReplayTally {
  const sum: Record<string, ReplayCounts> = { ...tally }
  for (const { candidate, skipReason } of decisions) {
    const { matched, replayed, left } = sum[candidate.scriptId] ?? none
    sum[candidate.scriptId] = {
      matched: matched + 1,
      replayed: replayed + (skipReason ? 0 : 1),
      left: skipReason ? { ...left, [skipReason]: (left[skipReason] ?? 0) + 1 } : left,
    }
  }
  return sum
}
