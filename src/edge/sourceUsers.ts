import type { IngestSource } from '#event/ingest.ts'
import { newUserId } from '#kit/id.ts'
import type { SourceEvent } from '#sources/source.ts'
import { customerKey, customerUserId, deviceUserId } from '#user/customerUser.ts'
import type { EdgeCall } from './edge.ts'

type SourceCall = Pick<EdgeCall, 'edge' | 'tag' | 'trusted'>

/**
 * The user of each event of a source, in order: an update of user data that names a device and the customer's own id
 * holds for the events after it. A claim of an untrusted caller to be a customer's user names nobody.
 */
export async function findSourceUsers(
  call: SourceCall,
  events: readonly SourceEvent[],
): Promise<IngestSource['caller'][]> {
  const { edge, tag, trusted } = call
  const { keys } = edge.deps
  const customers = trusted ? await findCustomers(call, events) : new Map<string, string>()
  return events.map(({ kind, deviceId, userId }) => {
    const device = deviceId ? deviceUserId(tag, deviceId, keys) : undefined
    const isLink = trusted && kind === 'user' && device !== undefined && userId !== undefined
    if (isLink && !customers.has(userId)) customers.set(userId, device)
    const customer = trusted && userId ? (customers.get(userId) ?? customerUserId(tag, userId, keys)) : undefined
    const known = device ?? customer
    return known ? { userId: known, hasExplicitUserId: true } : { userId: newUserId(), hasExplicitUserId: false }
  })
}

/** The users of the customer's own ids, for the events that name no device. */
async function findCustomers({ edge, tag }: SourceCall, events: readonly SourceEvent[]): Promise<Map<string, string>> {
  const { profiles } = edge.deps
  const ids = new Set(events.flatMap(({ deviceId, userId }) => (!deviceId && userId ? userId : [])))
  const found = [...ids].map(async (id) => {
    const owner = await profiles.ownerOf(tag, customerKey(tag, id, profiles))
    return owner ? [[id, owner.userId] as const] : []
  })
  return new Map((await Promise.all(found)).flat())
}
