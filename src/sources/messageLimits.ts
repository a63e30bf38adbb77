import { badRequest, fault } from '#contract/fault.ts'
import { eventLimits, extentOf, limitIssues } from '#event/eventLimits.ts'
import type { SourceEvent } from './source.ts'
import { textOf } from './values.ts'

/** Maximum growth of a request from fields that are copied to each message, in characters of JSON. */
const maxCopies = 256 * 1024

/**
 * Bounds the work for one request before its messages are read. `shared`: data of the request that is copied to each
 * event, such as a query. Throws badRequest if there are more messages than a body may have events or if the shared
 * value is larger than an event may be, and bodyTooLarge if the copies are too large.
 */
export function refuseTooManyMessages(messages: number, shared?: unknown): void {
  if (messages > eventLimits.events)
    throw badRequest({
      path: '',
      message: `has ${messages} events; the limit is ${eventLimits.events}`,
    })
  if (shared === undefined) return
  const issues = limitIssues(extentOf(shared))
  if (issues.length > 0) throw badRequest(...issues)
  const characters = JSON.stringify(shared).length
  if (messages > 1 && messages * characters > maxCopies)
    throw fault('bodyTooLarge', {
      message:
        `The fields that the ${messages} events of the request share have ${characters} characters. Their copies can have at most ` +
        `${maxCopies}. Send fewer events per request.`,
    })
}

/** True if a value is neither nested deeper nor has more keys than an event may have. */
export const isWithinLimits = (value: unknown): boolean => limitIssues(extentOf(value)).length === 0

/** Reads a message. Rejects it unread if it is nested deeper or has more keys than an event may have. */
export function readWithinLimits(message: unknown, eventId: unknown, read: () => SourceEvent): SourceEvent {
  const issues = limitIssues(extentOf(message))
  return issues.length > 0 ? { issues, event: { eventId: textOf(eventId) } } : read()
}
