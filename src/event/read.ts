import { isUtf8 } from 'node:buffer'
import { EventRequired, type TagEvent } from '#contract/event.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { check, type Issue } from '#contract/schema.ts'
import { excess, isBomb, limits, tooDeep } from './limits.ts'

/** One event of a body: as it came, or why it is not taken. */
export type ReadEvent =
  | { event: TagEvent; issues?: never }
  | { event?: never; eventId: string; issues: readonly Issue[] }

/** What a body holds: one event, or an array of which each is taken or refused by itself. */
export type ReadBody = { isArray: boolean; events: readonly ReadEvent[] }

/** Whether an event of this time (epoch ms) can be taken. */
export const isTimely = (timestamp: unknown, receivedAt: number): timestamp is number =>
  typeof timestamp === 'number' && timeIssue(timestamp, receivedAt) === undefined

const oldestMs = 7 * 24 * 60 * 60 * 1000
const aheadMs = 10 * 60 * 1000
const checkRequired = check(EventRequired)

/**
 * Reads the bytes of a body. Throws the faults jsonBroken, bodyTooLarge (one event of more than 64 KiB) and badRequest:
 * for a single event with all that is wrong with it, for an array that is empty or too long.
 */
export function readBody(body: Buffer, receivedAt: number): ReadBody {
  const text = textOf(body)
  const isLarge = body.length > limits.eventBytes
  if (isLarge) refuseUnparsed(text)
  const parsed = parse(text)
  if (Array.isArray(parsed)) return { isArray: true, events: readArray(parsed, isLarge, receivedAt) }
  const issues = issuesOf(parsed, receivedAt)
  if (issues.length > 0) throw badRequest(...issues)
  return { isArray: false, events: [{ event: parsed as TagEvent }] }
}

/** Reads a body that is one JSON object, as large and as deep as an event at most. Throws the faults of `readBody`. */
export function readObject(body: Buffer): Record<string, unknown> {
  const text = textOf(body)
  if (body.length > limits.eventBytes) throw fault('bodyTooLarge', { message: `A call may have ${eventSize}.` })
  const parsed = parse(text)
  const tooMuch = excess(parsed)
  if (tooMuch.length > 0) throw badRequest(...tooMuch)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw badRequest({ path: '', message: 'must be object' })
  return parsed as Record<string, unknown>
}

/** A body larger than an event may be has to be an array, and is not parsed before it looks like one of events. */
function refuseUnparsed(text: string): void {
  if (!/^\s*\[/.test(text)) throw fault('bodyTooLarge', { message: `An event may have ${eventSize}.` })
  if (isBomb(text)) throw badRequest(tooDeep)
}

const eventSize = `${limits.eventBytes / 1024} KiB`

function textOf(body: Buffer): string {
  if (body.length === 0) throw fault('jsonBroken', { message: 'The body is empty: send it as JSON.' })
  if (!isUtf8(body)) throw fault('jsonBroken', { message: 'The body is not UTF-8, as JSON has to be.' })
  return body.toString('utf8')
}

/** The parser's own message repeats what was sent, which may be anything: it is not passed on. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw fault('jsonBroken')
  }
}

function readArray(events: readonly unknown[], isLarge: boolean, receivedAt: number): ReadEvent[] {
  if (events.length === 0) throw badRequest({ path: '', message: 'holds no event' })
  if (events.length > limits.events)
    throw badRequest({ path: '', message: `holds ${events.length} events, of ${limits.events} that a body may have` })
  return events.map((event) => {
    const issues = issuesOf(event, receivedAt)
    if (issues.length === 0 && isLarge) issues.push(...tooLarge(event))
    return issues.length > 0 ? { eventId: eventIdOf(event), issues } : { event: event as TagEvent }
  })
}

/** Empty for an event that can be taken. Depth goes first: nothing else may look into an event that is too deep. */
function issuesOf(event: unknown, receivedAt: number): Issue[] {
  const tooMuch = excess(event)
  if (tooMuch.length > 0) return tooMuch
  const issues = checkRequired(event)
  return issues.length > 0 ? [...issues] : meaningless(event as TagEvent, receivedAt)
}

function meaningless({ eventId, timestamp }: TagEvent, receivedAt: number): Issue[] {
  const issues: Issue[] = []
  if (!eventId.isWellFormed()) issues.push({ path: 'eventId', message: 'holds half a surrogate pair' })
  const wrongTime = timeIssue(timestamp, receivedAt)
  if (wrongTime) issues.push({ path: 'timestamp', message: wrongTime })
  return issues
}

function timeIssue(timestamp: number, receivedAt: number): string | undefined {
  const tooEarly = receivedAt - oldestMs
  const tooLate = receivedAt + aheadMs
  if (timestamp > tooLate) return 'lies more than 10 minutes ahead'
  if (timestamp >= tooEarly) return undefined
  const isSeconds = timestamp * 1000 >= tooEarly && timestamp * 1000 <= tooLate
  return isSeconds ? 'is in seconds: send epoch milliseconds' : 'lies more than 7 days back'
}

/** Measured as JSON without white space. Only a body that is larger than one event may be gets here. */
const tooLarge = (event: unknown): Issue[] =>
  Buffer.byteLength(JSON.stringify(event)) > limits.eventBytes
    ? [{ path: '', message: `is larger than the ${eventSize} that an event may have` }]
    : []

/** What a refused event is called in the answer: its id, if it has a sane one. */
function eventIdOf(event: unknown): string {
  const eventId = (event as { eventId?: unknown } | null)?.eventId
  return typeof eventId === 'string' && eventId.length <= 500 ? eventId : ''
}
