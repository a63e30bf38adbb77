import type { OutgoingHttpHeaders } from 'node:http'
import { ingestBody } from '#event/ingest.ts'
import { appendEvents } from './append.ts'
import { type EdgeCall, recordIntake } from './edge.ts'
import { identifyRequestCaller, setUserCookieOf } from './identifyUser.ts'
import { ingestResponse, refuseWhole } from './ingestResponse.ts'
import { ingestSource } from './ingestSource.ts'
import { findKnownUsers } from './knownUsers.ts'
import { ingestPreview, previewHeaderName, previewOf } from './preview.ts'
import { awaitDeliveries, isSyncRequest } from './syncDeliveries.ts'

/**
 * Accepts events: all steps before the response, in order. The delivery worker later decides plugins, consent,
 * location and channels from the stored record.
 */
export async function ingest(call: EdgeCall, body: Buffer, headers: OutgoingHttpHeaders): Promise<string> {
  const preview = previewHeaderName in call.request.headers && (await previewOf(call))
  if (preview) return ingestPreview(call, preview, body, headers)
  const { users, drafts, isSync, appending, finding } = beforeCommit(call, body)
  const isNew = await appending // stream/: durable, with duplicates detected
  recordIntake(call)
  const knownUsers = await finding // user/: the users of the e-mails, for a trusted caller
  setUserCookieOf(call, users, headers) // user/: the cookie
  const deliveries = isSync && (await awaitDeliveries(call, users, drafts, isNew)) // delivery/: only with ?sync=true
  // contract/: the results
  return ingestResponse(call, drafts, { isNew, ...(deliveries && { deliveries }), ...(knownUsers && { knownUsers }) })
}

/**
 * The steps before the commit. In a separate function, so that the parsed events are garbage when it returns.
 * Referenced until the commit, they would move to the old generation, where collecting them costs more than parsing
 * them.
 */
function beforeCommit(call: EdgeCall, body: Buffer) {
  const receivedAt = call.edge.deps.clock.now()
  const caller = identifyRequestCaller(call) // user/: header, cookie, query, else a new id
  const source = ingestSource(call, caller, receivedAt)
  // event/: validated against the contract; limit/: counted; each event gets its user and a draft result
  const { read, users, drafts, item } = ingestBody(body, source, call.edge.deps)
  const isSync = isSyncRequest(call, read)
  refuseWhole(call, read, drafts) // contract/: refuses an array without a valid event
  const finding = findKnownUsers(call, read, users)
  return { users, drafts, isSync, finding, appending: appendEvents(call, item) }
}
