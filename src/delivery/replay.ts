import { agrees, letsHave, readConsent } from '#consent/consent.ts'
import type { Reason } from '#contract/outcome.ts'
import type { KeptEvent } from '#event/record.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { Candidate, ReplayCounts, ReplayTally } from '#store/replays.ts'
import type { PlannedEvent } from '#store/store.ts'
import { type AgainWorld, decideAgain } from './decide.ts'
import type { Events } from './events.ts'
import { consentsOf, whoseIs } from './whose.ts'

export type JudgeWorld = AgainWorld & { events: Pick<Events, 'at'> }

/** A delivery that was asked for: sent again, or why not. */
export type Judged = { candidate: Candidate; against?: Reason }

/** What of the deliveries that a replay asks for goes out, by what holds now: the deployed scripts, places, ages, consents. */
export async function judge(candidates: readonly Candidate[], tag: Snapshot, on: JudgeWorld): Promise<Judged[]> {
  const judged: Judged[] = []
  for (const ofEvent of byEvent(candidates)) judged.push(...(await judgeEvent(ofEvent, tag, on)))
  return judged
}

/** Those of one event stand side by side. */
function byEvent(candidates: readonly Candidate[]): Candidate[][] {
  const events: Candidate[][] = []
  for (const each of candidates) {
    const [before] = events.at(-1) ?? []
    if (before?.position === each.position && before.index === each.index) events.at(-1)!.push(each)
    else events.push([each])
  }
  return events
}

async function judgeEvent(candidates: readonly Candidate[], tag: Snapshot, on: JudgeWorld): Promise<Judged[]> {
  const { position, index } = candidates[0]!
  const left = (against: Reason) => candidates.map((candidate) => ({ candidate, against }))
  try {
    const body = await on.events.at(position, tag)
    if (!body) return left('expired')
    const planned = await decideAgain(body, index, tag, on)
    const isWithdrawn = await withdrawn(body.events[index]!, tag, on)
    return candidates.map((candidate) => {
      const against = reasonAgainst(candidate, planned) ?? (isWithdrawn(candidate) ? 'consent' : undefined)
      return { candidate, ...(against && { against }) }
    })
  } catch (error) {
    on.log({ level: 'error', message: 'an event cannot be replayed', tagId: tag.tagId, position, index, error })
    return left('poison')
  }
}

function reasonAgainst({ scriptId }: Candidate, { deliveries }: PlannedEvent): Reason | undefined {
  const now = deliveries.find((each) => each.scriptId === scriptId)
  if (!now) return 'erased'
  return now.status === 'pending' ? undefined : (now.reason ?? 'filtered')
}

/**
 * An event's own consent decides for the event, when it comes. What is sent days later must not go against what its user
 * has said since: a consent that was given after the event came must agree as well.
 */
async function withdrawn(kept: KeptEvent, tag: Snapshot, on: JudgeWorld): Promise<(candidate: Candidate) => boolean> {
  const { event, context } = kept
  const known = consentsOf(await whoseIs(kept, tag, on))
  const later = [known.own, ...(known.others ?? [])].filter((each) => each && each.at > context.receivedAt)
  if (later.length === 0 || tag.consent === 'disabled') return () => false
  const { sharePii } = readConsent({ context, tag, brand: on.brand, known, event })
  const scripts = new Map(tag.scripts.map((script) => [script.scriptId, script]))
  return ({ scriptId, providerId }) => {
    const script = scripts.get(scriptId)
    const category = script?.consentCategory ?? on.providers[providerId]?.consent[0]
    if (!script || !category) return false
    // What it said then would have its person told to the provider.
    return later.some((each) => !(sharePii ? letsHave : agrees)(each!, script, category))
  }
}

const none: ReplayCounts = { matched: 0, replayed: 0, left: {} }

/** The counts with these added. */
export function tallied(tally: ReplayTally, judged: readonly Judged[]): ReplayTally {
  const sum: Record<string, ReplayCounts> = { ...tally }
  for (const { candidate, against } of judged) {
    const { matched, replayed, left } = sum[candidate.scriptId] ?? none
    sum[candidate.scriptId] = {
      matched: matched + 1,
      replayed: replayed + (against ? 0 : 1),
      left: against ? { ...left, [against]: (left[against] ?? 0) + 1 } : left,
    }
  }
  return sum
}
