import { callTextsOf } from '#consent/text/callTexts.ts'
import type { IngestSource } from '#event/ingest.ts'
import { currentTraceparent } from '#kit/trace.ts'
import type { EdgeCall } from './edge.ts'

/**
 * The facts of a request that the intake of events needs. Browsers send an Origin; all events of such a request
 * belong to one person.
 */
export function ingestSource(
  { edge, tag, request, trusted }: EdgeCall,
  caller: IngestSource['caller'],
  receivedAt: number,
): IngestSource {
  const { 'user-agent': userAgent, 'sec-gpc': gpc, origin } = request.headers
  const ip = edge.addressOf(request)
  const place = edge.cdnLocationOf(request)
  const facts: IngestSource['request'] = {}
  if (ip) facts.ip = ip
  if (userAgent) facts.userAgent = userAgent
  if (origin) facts.origin = origin
  if (place) facts.place = place
  if (gpc === '1') facts.gpc = true
  const callTexts = callTextsOf(request.headers, edge.textHeaders)
  if (callTexts) facts.callTexts = callTexts
  const traceparent = currentTraceparent()
  if (traceparent) facts.traceparent = traceparent
  return { tag, caller, trusted, receivedAt, isOnePerson: origin !== undefined, request: facts }
}
