import type { OutgoingHttpHeaders } from 'node:http'
import { type PreviewTerms, readPreviewCode } from '#account/previewCode.ts'
import type { TagEvent } from '#contract/event.ts'
import { type PreviewState, previewHeader } from '#contract/previewLink.ts'
import { type IngestSource, ingestBody } from '#event/ingest.ts'
import { userIdAt } from '#event/record.ts'
import type { EdgeCall } from './edge.ts'
import { identifyRequestCaller, setUserCookieOf } from './identifyUser.ts'
import { wholeRefusal } from './ingestResponse.ts'
import { ingestSource } from './ingestSource.ts'

/** Lower case, as in node:http. */
export const previewHeaderName = previewHeader.toLowerCase()

type ReadPreview = { terms: PreviewTerms; left: number } | { refused: NonNullable<PreviewState['refused']> }

/** The preview that the code of a call opens, or why it opens none. */
async function readPreview({ edge, tag, request }: EdgeCall): Promise<ReadPreview> {
  const { keys, clock, previews } = edge.deps
  const terms = previews && readPreviewCode(keys, tag.tagId, String(request.headers[previewHeaderName] ?? ''))
  if (!previews || !terms) return { refused: 'unknown' }
  if (terms.expiresAt <= clock.now()) return { refused: 'expired' }
  const left = await previews.left(tag, terms.previewId)
  return left > 0 ? { terms, left } : { refused: 'usedUp' }
}

/** The terms of the preview of a call. Undefined if its code opens no preview: the call is then an ordinary one. */
export async function previewOf(call: EdgeCall): Promise<PreviewTerms | undefined> {
  const state = await readPreview(call)
  return 'terms' in state ? state.terms : undefined
}

/** `GET /preview`: the preview that the code of the call opens, for the badge in the page. */
export async function getPreview(call: EdgeCall): Promise<string> {
  const state = await readPreview(call)
  const result: PreviewState = 'terms' in state ? { ...state.terms, left: state.left } : state
  return JSON.stringify({ result })
}

/**
 * `POST /tag` of a preview. The events are checked and answered like any others, but are neither stored nor counted.
 */
export async function ingestPreview(
  call: EdgeCall,
  preview: PreviewTerms,
  body: Buffer,
  headers: OutgoingHttpHeaders,
): Promise<string> {
  const { edge, tag } = call
  const { intakeRate, keys, brand, clock, previews } = edge.deps
  const source = ingestSource(call, identifyRequestCaller(call), clock.now())
  const { read, users, drafts, item } = ingestBody(body, source, { intakeRate, keys, brand })
  const refusal = wholeRefusal(read, drafts.results)
  if (refusal) throw refusal
  const { previewId } = preview
  const results = drafts.results.map((result) => (result.status === 'accepted' ? { ...result, previewId } : result))
  if (item) {
    const { userIds: _, ...context } = item.part.context
    const accepted = read.events.flatMap(({ event }) => event ?? [])
    const events = accepted.map((event, index) => ({
      event,
      context: { ...context, userId: userIdAt(item.part.context, index) },
    }))
    await previews!.add(tag, preview, events)
  }
  setUserCookieOf(call, users, headers)
  return JSON.stringify({ result: drafts.isArray ? results : results[0] })
}

/**
 * A call of `/user` or `/data` in a preview. It is shown with the events and updates the page's own visitor like any
 * other call, but no channel gets it.
 */
export async function previewUserUpdate(call: EdgeCall, event: TagEvent, source: IngestSource): Promise<void> {
  const preview = await previewOf(call)
  if (!preview) return
  const { caller, trusted, receivedAt, request } = source
  const { tagId, teamId } = call.tag
  const { userId, hasExplicitUserId } = caller
  const context = { tagId, teamId, userId, hasExplicitUserId, trusted, receivedAt, ...request, kind: 'user' as const }
  await call.edge.deps.previews!.add(call.tag, preview, [{ event, context }])
  Object.assign(source.request!, { preview: preview.previewId })
}
