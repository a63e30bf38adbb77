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
 * Accepts events: all steps before the response, in order. Plugins, consent, location and the choice of channels are
 * left to the delivery worker, which decides them from the stored record.
 */
export async function ingest(call: EdgeCall, body: Buffer, headers: OutgoingHttpHeaders): Promise<string> {
  const preview = previewHeaderName in call.request.headers && (await previewOf(call))
  if (preview) return ingestPreview(call, preview, body, headers)
  const { users, drafts, isSync, appending, finding } = beforeCommit(call, body)
  const isNew = await appending // stream/: durable, and duplicates are known
  recordIntake(call)
  const knownUsers = await finding // user/: whom an e-mail names to a trusted caller
  setUserCookieOf(call, users, headers) // user/: the cookie
  const deliveries = isSync && (await awaitDeliveries(call, users, drafts, isNew)) // delivery/: only with ?sync=true
  // contract/: the results
  return ingestResponse(call, drafts, { isNew, ...(deliveries && { deliveries }), ...(knownUsers && { knownUsers }) })
}

/**
 * The steps before the commit. They are a function of their own so that the parsed events are garbage when it returns.
 * Referenced until the commit, they would survive into the old generation, and collecting them there costs more than
 * parsing them.
 */
function beforeCommit(call: EdgeCall, body: Buffer) {
  const receivedAt = call.edge.deps.clock.now()
  const caller = identifyRequestCaller(call) // user/: header, cookie, query, else a new id
  const source = ingestSource(call, caller, receivedAt)
  // event/: valid by the contract, or refused; limit/: counted; each event with its user and its draft result
  const { read, users, drafts, item } = ingestBody(body, source, call.edge.deps)
  const isSync = isSyncRequest(call, read)
  refuseWhole(call, read, drafts) // contract/: an array without a single valid event
  const finding = findKnownUsers(call, read, users)
  return { users, drafts, isSync, finding, appending: appendEvents(call, item) }
}
