import { isUtf8 } from 'node:buffer'
import { RequiredEventFields, type TagEvent } from '#contract/event.ts'
import { badRequest, fault } from '#contract/fault.ts'
import type { Issue } from '#contract/schema.ts'
import { compileValidator } from '#contract/validator.ts'
import { changedValues, type ReplacedValues } from './changedValues.ts'
import { type Extent, eventLimits, extentOf, isNestingBomb, limitIssues, tooDeepIssue } from './eventLimits.ts'

/** One event of a body: the event with warnings about changed values, or the reasons for its rejection. */
export type BodyEvent =
  | { event: TagEvent; warnings?: readonly string[] | undefined; issues?: never }
  | { event?: never; eventId: string; issues: readonly Issue[] }

/**
 * A parsed body: one event, or an array whose events are accepted or rejected individually. `isChanged`: the events have
 * replaced values that differ from the bytes of the body.
 */
export type ParsedBody = { isArray: boolean; isChanged?: boolean; events: readonly BodyEvent[] }

/** True if an event with this timestamp (epoch ms) is accepted: at most 7 days old and 10 minutes ahead. */
export const isTimestampAccepted = (timestamp: unknown, receivedAt: number): timestamp is number =>
  typeof timestamp === 'number' && timeIssue(timestamp, receivedAt) === undefined

const oldestMs = 7 * 24 * 60 * 60 * 1000
const aheadMs = 10 * 60 * 1000
const checkRequired = compileValidator(RequiredEventFields)

/**
 * Parses the bytes of a body. Throws jsonBroken, bodyTooLarge (a single event of more than 64 KiB) and badRequest (a
 * single invalid event, with all its issues, or an array that is empty or too long).
 */
export function parseBody(body: Buffer, receivedAt: number): ParsedBody {
  const text = textOf(body)
  const isLarge = body.length > eventLimits.eventBytes
  if (isLarge) refuseOversizedSingle(text)
  const parsed = parse(text)
  const changes = changedValues(text)
  const context = { changes, isLarge, receivedAt }
  if (Array.isArray(parsed)) return readArray(parsed, context)
  const single = readEvent(parsed, context)
  if (single.issues) throw badRequest(...single.issues)
  return { isArray: false, isChanged: changes.areAny(), events: [single] }
}

/**
 * Parses a body that is one JSON object within the limits of an event, with half surrogate pairs replaced. Throws the
 * faults of `parseBody`.
 */
export function parseObject(body: Buffer): Record<string, unknown> {
  const text = textOf(body)
  if (body.length > eventLimits.eventBytes)
    throw fault('bodyTooLarge', { message: `The body of this request must be at most ${eventSize}.` })
  const parsed = parse(text)
  const extent = extentOf(parsed)
  const exceeded = limitIssues(extent)
  if (exceeded.length > 0) throw badRequest(...exceeded)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw badRequest({ path: '', message: 'must be object' })
  changedValues(text).replaceIn(parsed, extent)
  return parsed as Record<string, unknown>
}

/** Refuses a body above the size limit of one event if it is not an array. Runs before parsing. */
function refuseOversizedSingle(text: string): void {
  if (!/^\s*\[/.test(text)) throw fault('bodyTooLarge', { message: `An event must be at most ${eventSize}.` })
  if (isNestingBomb(text)) throw badRequest(tooDeepIssue)
}

const eventSize = `${eventLimits.eventBytes / 1024} KiB`

function textOf(body: Buffer): string {
  if (body.length === 0) throw fault('jsonBroken', { message: 'The body is empty. Send JSON.' })
  if (!isUtf8(body)) throw fault('jsonBroken', { message: 'The body is not valid UTF-8. Encode the JSON as UTF-8.' })
  return body.toString('utf8')
}

/** JSON.parse quotes the input in its message, which may be personal data, so the message is not passed on. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw fault('jsonBroken')
  }
}

/** Parses JSON text that may be nested to any depth. Throws jsonBroken and badRequest. */
export function parseJson(body: Buffer): unknown {
  const text = textOf(body)
  if (body.length > eventLimits.eventBytes && isNestingBomb(text)) throw badRequest(tooDeepIssue)
  return parse(text)
}

type ReadContext = { changes: ReplacedValues; isLarge: boolean; receivedAt: number }

/**
 * Checks the events of an array individually. `isLarge`: one of them may exceed the size of an event. Throws
 * badRequest.
 */
export function readArray(events: readonly unknown[], context: ReadContext): ParsedBody {
  if (events.length === 0) throw badRequest({ path: '', message: 'must contain at least one event' })
  if (events.length > eventLimits.events)
    throw badRequest({
      path: '',
      message: `has ${events.length} events; the limit is ${eventLimits.events}`,
    })
  const read = events.map((event) => readEvent(event, context))
  return { isArray: true, isChanged: context.changes.areAny(), events: read }
}

/** `isLarge`: the body exceeds the size limit of one event. A single event of that size was refused before. */
function readEvent(event: unknown, { changes, isLarge, receivedAt }: ReadContext): BodyEvent {
  const extent = extentOf(event)
  const issues = issuesOf(event, extent, receivedAt)
  if (issues.length === 0 && isLarge) issues.push(...tooLarge(event))
  if (issues.length > 0) return { eventId: eventIdOf(event), issues }
  const warnings = changes.replaceIn(event as TagEvent, extent)
  return warnings ? { event: event as TagEvent, warnings } : { event: event as TagEvent }
}

/** The issues of an event; empty if it is accepted. The depth is checked first, because other checks recurse. */
function issuesOf(event: unknown, extent: Extent, receivedAt: number): Issue[] {
  const exceeded = limitIssues(extent)
  if (exceeded.length > 0) return exceeded
  const issues = checkRequired(event)
  return issues.length > 0 ? [...issues] : identityIssues(event as TagEvent, receivedAt)
}

function identityIssues({ eventId, timestamp }: TagEvent, receivedAt: number): Issue[] {
  const issues: Issue[] = []
  if (!eventId.isWellFormed()) issues.push({ path: 'eventId', message: 'contains an unpaired surrogate' })
  const wrongTime = timeIssue(timestamp, receivedAt)
  if (wrongTime) issues.push({ path: 'timestamp', message: wrongTime })
  return issues
}

function timeIssue(timestamp: number, receivedAt: number): string | undefined {
  const tooEarly = receivedAt - oldestMs
  const tooLate = receivedAt + aheadMs
  if (timestamp > tooLate) return 'is more than 10 minutes in the future'
  if (timestamp >= tooEarly) return undefined
  const isSeconds = timestamp * 1000 >= tooEarly && timestamp * 1000 <= tooLate
  return isSeconds ? 'is in seconds: send epoch milliseconds' : 'is more than 7 days in the past'
}

/** Measures the event as JSON without white space. Only called if the whole body exceeds the limit of one event. */
const tooLarge = (event: unknown): Issue[] =>
  Buffer.byteLength(JSON.stringify(event)) > eventLimits.eventBytes
    ? [{ path: '', message: `is larger than ${eventSize}, the limit of an event` }]
    : []

/** The id of a rejected event in the response: its own if that is a string of at most 500 characters, else empty. */
function eventIdOf(event: unknown): string {
  const eventId = (event as { eventId?: unknown } | null)?.eventId
  return typeof eventId === 'string' && eventId.length <= 500 ? eventId : ''
}
