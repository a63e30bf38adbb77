import { Fault } from '#contract/fault.ts'
import type { Run } from '#contract/webhookRun.ts'
import { redactor } from '#provider/engine/redaction.ts'
import type { Job, RunResult } from '#sandbox/job.ts'
import type { CodeRequest } from '#webhook/sandboxJob.ts'
import type { EdgeCall } from './edge.ts'

/** The maximum event ids in the journal entry of a run. */
const maxEventIds = 100

type HostFunctions = NonNullable<Job['calls']>
type TakenEvent = { eventId?: unknown; status?: unknown; userId?: unknown } | null

/** The effects of a run: the ids of events that its code created with `handleTag`, and the users that it handled. */
type HandledByRun = { eventIds: readonly string[]; userIds: ReadonlySet<string>; texts: readonly string[] }

/** The host functions, wrapped to record their calls. */
export function recordHandled(calls: HostFunctions): { calls: HostFunctions; handled: HandledByRun } {
  const handled = { eventIds: [] as string[], userIds: new Set<string>(), texts: [] as string[] }
  const addUsers = (value: unknown) => {
    for (const each of [value].flat() as TakenEvent[])
      if (typeof each?.userId === 'string' && each.userId !== '') handled.userIds.add(each.userId)
  }
  const record =
    (name: string, call: HostFunctions[string]) =>
    async (...args: unknown[]) => {
      // the arguments may identify people, even if the call fails
      handled.texts.push(JSON.stringify(args) ?? '')
      if (typeof args[0] === 'string') handled.userIds.add(args[0])
      addUsers(args)
      const result = await call(...args)
      addUsers(result)
      if (name === 'handleTag')
        for (const event of [result].flat() as TakenEvent[])
          if (event?.status === 'accepted' && handled.eventIds.length < maxEventIds)
            handled.eventIds.push(`${event.eventId}`)
      return result
    }
  const recorded = Object.entries(calls).map(([name, call]) => [name, record(name, call)] as const)
  return { calls: Object.fromEntries(recorded), handled }
}

/** The maximum characters of a request's body in the journal. */
const maxBody = 4_096

/** The request of a run for the journal, without data that only its sender and the code may see. */
export function shownRequest(
  { method, url, headers, ...content }: CodeRequest,
  scriptId: string,
  secrets: readonly string[],
): NonNullable<Run['request']> {
  const redact = redactor({ secrets })
  const { pathname } = new URL(url)
  const contentType = headers.find(([name]) => name === 'content-type')?.[1]
  const body = 'latin1' in content ? content.latin1 : content.body
  return {
    method,
    path: redact(pathname.slice(pathname.indexOf(scriptId) + scriptId.length) || '/').slice(0, maxBody),
    ...(contentType && { contentType: redact(contentType) }),
    ...(body && { body: redact(body.slice(0, maxBody)) }),
  }
}

type FinishedRun = {
  result: RunResult
  at: number
  durationMs: number
  handled: HandledByRun
  request: NonNullable<Run['request']>
  /** True if somebody was erased since the call arrived. */
  isErasedSince: boolean
}

/** The number of erasures so far. Data that a call read before an erasure may belong to the erased person. */
export const countErasures = ({ deps: { stream, profiles } }: EdgeCall['edge']): number =>
  stream.rewritten() + profiles.refusals.erased()

const notKept: Pick<Run, 'logs' | 'eventIds'> = {
  logs: [{ level: 'error', text: 'not stored: a person was erased during the call' }],
  eventIds: [],
}

const errorOf = (result: RunResult, fault: Fault | undefined): Run['error'] => {
  if ('error' in result) return result.error
  if ('breach' in result) return { message: result.message }
  return fault && { message: fault.message }
}

/** Journals a run. Returns the result of `answerOf`, or rethrows its error. */
export function journalRun<Answer extends { status: number }>(
  { edge, tag }: EdgeCall,
  scriptId: string,
  { result, at, durationMs, handled, request, isErasedSince }: FinishedRun,
  answerOf: (result: RunResult) => Answer,
): Answer {
  const add = (status: number, fault?: Fault) => {
    if ('notRun' in result) return
    const owner = { teamId: tag.teamId, tagId: tag.tagId, scriptId }
    if (isErasedSince) return edge.deps.runLog.add(owner, { at, durationMs, status, ...notKept })
    const error = errorOf(result, fault)
    const texts = { request, logs: [...result.logs], eventIds: [...handled.eventIds], ...(error && { error }) }
    edge.deps.runLog.add(owner, { at, durationMs, status, ...texts }, handled)
  }
  try {
    const answer = answerOf(result)
    add(answer.status)
    return answer
  } catch (error) {
    if (error instanceof Fault) add(error.status, error)
    throw error
  }
}
