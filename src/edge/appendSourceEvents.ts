import type { EventResult } from '#contract/event.ts'
import { changedValues, type ReplacedValues } from '#event/changedValues.ts'
import { eventLimits } from '#event/eventLimits.ts'
import { type IngestedBody, ingestParsed } from '#event/ingest.ts'
import { type BodyEvent, readArray } from '#event/parseBody.ts'
import type { SourceEvent, SourceResult } from '#sources/source.ts'
import { appendEvents } from './append.ts'
import { type EdgeCall, recordIntake } from './edge.ts'
import { finishResults, refuseWhole } from './ingestResponse.ts'
import { ingestSource } from './ingestSource.ts'
import { findSourceUsers } from './sourceUsers.ts'

type ReadFrom = { receivedAt: number; body: Buffer; hasEncodedJson?: true | undefined }

/** Checks the events of a request's messages and prepares the valid ones for appending. */
export function ingestMessages(messages: readonly SourceEvent[], call: EdgeCall, from: ReadFrom) {
  const { edge, tag, trusted } = call
  const { receivedAt, body, hasEncodedJson } = from
  const isLarge = body.length > eventLimits.eventBytes
  const changes: ReplacedValues = changedValues(body, hasEncodedJson)
  const read = messages.map(({ event }) => event)
  const checked = readArray(read, { changes, isLarge, receivedAt })
  const events = checked.events.map((each, at) => rejected(messages[at]!) ?? each)
  edge.deps.intakeRate.takeEvents(tag, trusted, events.length - 1)
  const runs = runsOf(messages, events, findSourceUsers(call, messages))
  const ingested = runs.map((run) => ingestRun(run, call, receivedAt))
  return { events, ingested, drafts: ingested.map((run) => run.drafts) }
}

type Ingested = ReturnType<typeof ingestMessages>

/** Throws badRequest if every event is rejected. */
export function refuseRejected({ events, ingested, drafts }: Ingested, call: EdgeCall): void {
  if (ingested.some(({ item }) => item)) return
  const results = withoutUsers(drafts.flatMap((run) => run.results)) as EventResult[]
  refuseWhole(call, { isArray: true, events }, { isArray: true, results })
}

/** Starts all appends before awaiting any, so that they are committed together, in this order. */
export const beginAppend = ({ ingested }: Ingested, call: EdgeCall): Promise<readonly boolean[]>[] =>
  ingested.map(({ item }) => appendEvents(call, item))

/** Returns the results once everything is on disk. */
export async function finishAppend(
  { drafts, appending }: Pick<Ingested, 'drafts'> & { appending: readonly Promise<readonly boolean[]>[] },
  call: EdgeCall,
): Promise<SourceResult[]> {
  const isNew = await Promise.all(appending)
  recordIntake(call)
  return withoutUsers(drafts.flatMap((run, at) => finishResults(call, run, { isNew: isNew[at]! })))
}

const noBytes = Buffer.alloc(0)

/**
 * Appends the events that the server derived from a webhook. A rejected event is a result, not an error: repeating the
 * webhook would not fix it.
 */
export async function appendSourceEvents(messages: readonly SourceEvent[], call: EdgeCall): Promise<SourceResult[]> {
  const read = ingestMessages(messages, call, { receivedAt: call.edge.deps.clock.now(), body: noBytes })
  return finishAppend({ drafts: read.drafts, appending: beginAppend(read, call) }, call)
}

/** The rejection of a message that its source found invalid. */
function rejected({ issues, event }: SourceEvent): BodyEvent | undefined {
  if (!issues) return undefined
  return { eventId: typeof event.eventId === 'string' ? event.eventId.slice(0, 500) : '', issues }
}

/** The results without user ids: anyone who knows a user id can read that user's data. */
const withoutUsers = (results: readonly EventResult[]): SourceResult[] =>
  results.map(({ userId: _, ...result }) => result)

/** Consecutive events that are stored with the same context. */
type Run = { kind: SourceEvent['kind']; isKnown: boolean; events: BodyEvent[]; userIds: string[] }

function runsOf(
  messages: readonly SourceEvent[],
  events: readonly BodyEvent[],
  users: Awaited<ReturnType<typeof findSourceUsers>>,
): Run[] {
  const runs: Run[] = []
  for (const [at, { kind }] of messages.entries()) {
    const { userId, hasExplicitUserId: isKnown } = users[at]!
    let run = runs.at(-1)
    if (!run || run.kind !== kind || run.isKnown !== isKnown) {
      run = { kind, isKnown, events: [], userIds: [] }
      runs.push(run)
    }
    run.events.push(events[at]!)
    run.userIds.push(userId)
  }
  return runs
}

function ingestRun({ kind, isKnown, events, userIds }: Run, call: EdgeCall, receivedAt: number): IngestedBody {
  const caller = { userId: userIds[0]!, hasExplicitUserId: isKnown }
  const source = {
    ...ingestSource(call, caller, receivedAt),
    ...(kind && { kind }),
    ...(isKnown && events.length > 1 && { userIds }),
  }
  return ingestParsed({ read: { isArray: true, events } }, source, call.edge.deps)
}
