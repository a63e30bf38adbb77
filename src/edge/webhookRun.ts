import { Fault } from '#contract/fault.ts'
import type { Run } from '#contract/webhookRun.ts'
import { redactor } from '#provider/engine/redaction.ts'
import type { Job, RunResult } from '#sandbox/job.ts'
import type { CodeRequest } from '#webhook/sandboxJob.ts'
import type { EdgeCall } from './edge.ts'

/** The maximum of event ids that a run's journal entry lists. */
const maxEventIds = 100

type HostFunctions = NonNullable<Job['calls']>
type TakenEvent = { eventId?: unknown; status?: unknown } | null

/** The host functions, and the ids of the events that the code makes by `handleTag`. */
export function withEventIds(calls: HostFunctions): { calls: HostFunctions; eventIds: readonly string[] } {
  const eventIds: string[] = []
  const handleTag = async (...args: unknown[]) => {
    const result = await calls.handleTag!(...args)
    for (const event of [result].flat() as TakenEvent[])
      if (event?.status === 'accepted' && eventIds.length < maxEventIds) eventIds.push(`${event.eventId}`)
    return result
  }
  return { calls: { ...calls, handleTag }, eventIds }
}

/** The maximum of characters that the journal keeps of a request's body. */
const maxBody = 4_096

/** The request of a run as the journal keeps it, without what only its sender and the code may know. */
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
  eventIds: readonly string[]
  request: NonNullable<Run['request']>
}

const errorOf = (result: RunResult, fault: Fault | undefined): Run['error'] => {
  if ('error' in result) return result.error
  if ('breach' in result) return { message: result.message }
  return fault && { message: fault.message }
}

/** Journals a run, and returns the answer that `answerOf` makes of it, or throws as it does. */
export function journalRun<Answer extends { status: number }>(
  { edge, tag }: EdgeCall,
  scriptId: string,
  { result, at, durationMs, eventIds, request }: FinishedRun,
  answerOf: (result: RunResult) => Answer,
): Answer {
  const add = (status: number, fault?: Fault) => {
    if ('notRun' in result) return
    const error = errorOf(result, fault)
    const run = {
      at,
      durationMs,
      status,
      request,
      logs: [...result.logs],
      eventIds: [...eventIds],
      ...(error && { error }),
    }
    edge.deps.runLog.add({ teamId: tag.teamId, tagId: tag.tagId, scriptId }, run)
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
