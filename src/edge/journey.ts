import type { OutgoingHttpHeaders } from 'node:http'
import { readBody } from '#event/read.ts'
import type { Call } from './edge.ts'
import { keep } from './keep.ts'
import { nameUsers, rememberUser } from './people.ts'
import { asksToWait, settled } from './sync.ts'
import { foretell, refuseWhole, tell } from './tell.ts'

/**
 * What happens to events before they are answered, in order. What can be decided later is decided by the worker, from
 * what is kept here: plugins, consent, place, and which channels get them.
 */
export async function takeEvents(call: Call, body: Buffer, headers: OutgoingHttpHeaders): Promise<string> {
  const { people, foretold, isSync, kept } = takeIn(call, body)
  const fresh = await kept // stream/: on disk, and repeats are known
  rememberUser(call, people, headers) // user/: the cookie
  const deliveries = isSync && (await settled(call, people, foretold, fresh)) // delivery/: only for who waits for it
  return tell(call, foretold, { fresh, ...(deliveries && { deliveries }) }) // contract/: what became of each
}

/**
 * The steps before the disk, in a function of their own: so the parsed events can go when it returns. Held until the
 * commit, they would outlive the young generation, and clearing them away would cost more than parsing them.
 */
function takeIn(call: Call, body: Buffer) {
  const receivedAt = call.edge.on.clock.now()
  const read = readBody(body, receivedAt) // event/: as the contract says, or refused
  call.edge.on.intakeRate.takeEvents(call.tag, call.trusted, read.events.length - 1) // limit/: the call itself counts as one
  const isSync = asksToWait(call, read)
  const people = nameUsers(call, read) // user/: header, cookie, query, else a fresh id
  const foretold = foretell(read, people)
  refuseWhole(call, read, foretold) // contract/: an array without a single good event
  return { people, foretold, isSync, kept: keep(call, read, people, { body, receivedAt }) }
}
