import type { IngestSource } from '#event/ingest.ts'
import { newUserId } from '#kit/id.ts'
import type { SourceEvent } from '#sources/source.ts'
import { customerKey, customerUserId, deviceUserId } from '#user/customerUser.ts'
import type { EdgeCall } from './edge.ts'

/** The user of each event of a source. A claim of an untrusted caller to be a customer's user names nobody. */
export async function findSourceUsers(
  { edge, tag, trusted }: Pick<EdgeCall, 'edge' | 'tag' | 'trusted'>,
  events: readonly SourceEvent[],
): Promise<IngestSource['caller'][]> {
  const { keys, people } = edge.deps
  const customers = new Map<string, string>()
  const ids = events.flatMap(({ deviceId, userId }) => (trusted && !deviceId && userId ? userId : []))
  for (const id of new Set(ids)) {
    const owner = await people.ownerOf(tag, customerKey(tag, id, people))
    customers.set(id, owner?.userId ?? customerUserId(tag, id, keys))
  }
  return events.map(({ deviceId, userId }) => {
    const known = deviceId ? deviceUserId(tag, deviceId, keys) : customers.get(userId ?? '')
    return known ? { userId: known, hasExplicitUserId: true } : { userId: newUserId(), hasExplicitUserId: false }
  })
}
