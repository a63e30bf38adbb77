import type { OutgoingHttpHeaders } from 'node:http'
import { readBody } from '#event/read.ts'
import type { Call } from './edge.ts'
import { keep } from './keep.ts'
import { nameUsers, rememberUser } from './people.ts'
import { tell } from './tell.ts'

/**
 * What happens to events before they are answered, in order. What can be decided later is decided by the worker, from
 * what is kept here: plugins, consent, place, and which channels get them.
 */
export async function takeEvents(call: Call, body: Buffer, headers: OutgoingHttpHeaders): Promise<string> {
  const receivedAt = call.edge.on.clock.now()
  const read = readBody(body, receivedAt) // event/: as the contract says, or refused
  const people = nameUsers(call, read) // user/: header, cookie, query, else a fresh id
  const fresh = await keep(call, read, people, { body, receivedAt }) // stream/: on disk, and repeats are known
  rememberUser(call, people, headers) // user/: the cookie
  return tell(call, read, people, fresh) // contract/: what became of each
}
