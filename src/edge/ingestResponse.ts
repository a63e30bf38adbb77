import type { EventResult } from '#contract/event.ts'
import { type Fault, fault } from '#contract/fault.ts'
import { type DraftResults, markDuplicates } from '#event/draftResults.ts'
import type { ParsedBody } from '#event/parseBody.ts'
import type { EdgeCall } from './edge.ts'
import type { KnownUserIds } from './knownUsers.ts'

/** Throws badRequest, with the result of each event, if every event of an array is rejected. */
export function refuseWhole({ edge, tag }: EdgeCall, read: ParsedBody, { results }: DraftResults): void {
  const refusal = wholeRefusal(read, results)
  if (!refusal) return
  edge.events.rejected.add(results.length)
  edge.deps.intakeLog.countEvents(tag.tagId, 'rejected', results.length)
  throw refusal
}

/** The fault for an array in which every event is rejected. */
export function wholeRefusal({ isArray, events }: ParsedBody, results: DraftResults['results']): Fault | undefined {
  if (!isArray || events.some(({ event }) => event)) return undefined
  const issues = events.flatMap((each, index) =>
    (each.issues ?? []).map(({ path, message }) => ({ path: path ? `${index}.${path}` : `${index}`, message })),
  )
  const message = `Every event of the array is refused: ${results.length} of ${results.length}; see result.`
  return fault('badRequest', { message, attributes: { issues }, result: results })
}

/**
 * `isNew`: per accepted event, false for a duplicate. `deliveries`: their states, if the caller waits for them.
 * `knownUsers`: the users of the events' e-mails, if the caller may see them.
 */
type AppendResult = {
  isNew: readonly boolean[]
  deliveries?: NonNullable<EventResult['deliveries']>
  knownUsers?: KnownUserIds
}

/** The response as JSON: the result of each event of the body. */
export function ingestResponse(call: EdgeCall, drafts: DraftResults, appended: AppendResult): string {
  const results = finishResults(call, drafts, appended)
  const { deliveries } = appended
  return JSON.stringify({ result: drafts.isArray ? results : { ...results[0], ...(deliveries && { deliveries }) } })
}

/** Returns the final results of appended events, and counts them. */
export function finishResults(
  { edge, tag }: Pick<EdgeCall, 'edge' | 'tag'>,
  drafts: DraftResults,
  { isNew, knownUsers }: Pick<AppendResult, 'isNew' | 'knownUsers'>,
): EventResult[] {
  markDuplicates(drafts, isNew)
  const { results } = drafts
  const counts = { accepted: 0, duplicate: 0, rejected: 0 }
  for (const [index, result] of results.entries()) {
    const knownUser = knownUsers?.[index]
    if (knownUser) result.userId = knownUser
    counts[result.status]++
  }
  for (const status of eventStatuses) {
    if (counts[status] === 0) continue
    edge.events[status].add(counts[status])
    edge.deps.intakeLog.countEvents(tag.tagId, status, counts[status])
  }
  return results
}

const eventStatuses = ['accepted', 'duplicate', 'rejected'] as const
