import { ReasonField, StatusField, TagParams } from './deliveryFilters.ts'
import type { Operation } from './operation.ts'
import { EpochMs, type Static, Type } from './schema.ts'

/**
 * The states of a channel. `draft`: it is not live. `paused`: by a person. `keyRejected`, `vendorDown`: paused
 * automatically. `throttled`: the vendor asked to wait.
 */
export const channelStates = ['ok', 'paused', 'keyRejected', 'vendorDown', 'throttled', 'draft'] as const
export type ChannelState = (typeof channelStates)[number]

const LastError = Type.Object({
  at: EpochMs({ description: 'epoch ms' }),
  deliveryId: Type.String(),
  eventId: Type.Optional(Type.String({ description: 'absent once the event is deleted by retention' })),
  status: StatusField,
  reason: Type.Optional(ReasonField),
  httpStatus: Type.Optional(Type.Number()),
  message: Type.Optional(Type.String({ description: 'secrets redacted' })),
})

/** How a channel of a tag (a script) stands now. Times are epoch ms. */
export const ChannelStatus = Type.Object({
  scriptId: Type.String(),
  name: Type.String(),
  providerId: Type.String(),
  state: Type.Enum([...channelStates], {
    description:
      'ok · paused: by a person · keyRejected, vendorDown: paused until nextAt · throttled: the vendor asked to wait until nextAt · draft: not live',
  }),
  reason: Type.Optional(ReasonField),
  since: Type.Optional(EpochMs({ description: 'the start of an automatic pause, epoch ms' })),
  nextAt: Type.Optional(EpochMs({ description: 'when the next attempt is due, epoch ms' })),
  waiting: Type.Integer({ description: 'deliveries that wait for an attempt' }),
  held: Type.Integer({ description: 'deliveries that wait for a consent' }),
  oldestAt: Type.Optional(
    EpochMs({ description: 'when the event of the oldest waiting delivery was received, epoch ms' }),
  ),
  lastDeliveredAt: Type.Optional(
    EpochMs({ description: 'when the delivered event that came last was delivered, epoch ms' }),
  ),
  lastError: Type.Optional(LastError),
})
export type ChannelStatus = Static<typeof ChannelStatus>

export const channelOperations = {
  listChannels: {
    method: 'GET',
    path: '/tag/{tagId}/channel',
    summary: 'How each channel of a tag stands: its state, what waits, its last delivery and its last error',
    access: ['event:read'],
    teamHeader: true,
    params: TagParams,
    response: Type.Object({ channels: Type.Array(ChannelStatus) }),
    isQuery: true,
    faults: ['tagUnknown'],
  },
} as const satisfies Record<string, Operation>
