import { Alert } from './alert.ts'
import { ChannelStatus } from './channel.ts'
import { DeliveryRow } from './delivery.ts'
import { deliveryFilters, rowFilters } from './deliveryFilters.ts'
import { LiveRefusal } from './intake.ts'
import { EventRow } from './journey.ts'
import { commaList, type Operation } from './operation.ts'
import { EpochMs, type Static, Type } from './schema.ts'
import { LiveRun } from './webhookRun.ts'

/** The kinds of messages of a live stream. */
const liveKinds = ['event', 'refusal', 'delivery', 'channel', 'deployment', 'replay', 'alert', 'run'] as const
export type LiveKind = (typeof liveKinds)[number]

/** The data of each kind of message. */
const liveSchemas = {
  event: EventRow,
  refusal: LiveRefusal,
  delivery: DeliveryRow,
  channel: ChannelStatus,
  deployment: Type.Object({ number: Type.Integer(), at: EpochMs(), by: Type.String() }),
  replay: Type.Object({
    replayId: Type.String(),
    state: Type.String(),
    matched: Type.Integer(),
    replayed: Type.Integer(),
  }),
  alert: Alert,
  run: LiveRun,
} as const
export type LiveData = { [Kind in LiveKind]: Static<(typeof liveSchemas)[Kind]> }

export const liveOperations = {
  watchDeliveries: {
    method: 'GET',
    path: '/tag/{tagId}/live',
    summary:
      'Streams what happens on a tag as server-sent events, each with an id of its own; continues after the header Last-Event-ID',
    access: ['event:read'],
    query: Type.Object({
      kinds: Type.Optional(
        commaList(
          Type.Enum([...liveKinds]),
          'the kinds of messages, which are the names of the server-sent events (delivery)',
        ),
      ),
      ...deliveryFilters,
      ...rowFilters,
    }),
    response: DeliveryRow,
    isStream: true,
    isQuery: true,
    faults: ['tagUnknown', 'tooManyWatching', 'tooManyWatchingPerson'],
  },
} as const satisfies Record<string, Operation>
