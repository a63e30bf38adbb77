import type { IngestSource } from '#event/ingest.ts'
import { newUserId } from '#kit/id.ts'
import type { SourceEvent } from '#sources/source.ts'
import { deviceUserId } from '#user/customer.ts'
import type { EdgeCall } from './edge.ts'

/**
 * The user of each event of a source, in order: the device that the event names. For a trusted event that only has a
 * customer id or an e-mail, the delivery worker finds the user.
 */
export const findSourceUsers = (
  { edge, tag }: Pick<EdgeCall, 'edge' | 'tag'>,
  events: readonly SourceEvent[],
): IngestSource['caller'][] =>
  events.map(({ deviceId, userId }) =>
    userId !== undefined
      ? { userId, hasExplicitUserId: true }
      : deviceId
        ? { userId: deviceUserId(tag, deviceId, edge.deps.keys), hasExplicitUserId: true }
        : { userId: newUserId(), hasExplicitUserId: false },
  )
