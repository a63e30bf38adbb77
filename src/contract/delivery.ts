import {
  deliveryFilters,
  personFilters,
  ReasonField,
  receivedRange,
  rowFilters,
  StatusField,
} from './deliveryFilters.ts'
import { longPageQuery, type Operation } from './operation.ts'
import { EpochMs, OptionalInteger, OptionalText, OptionalTime, type Static, Type } from './schema.ts'

const Issue = Type.Object({ path: Type.String(), message: Type.String() })

/** The current state of a delivery. `eventId` is absent after retention has deleted the event. */
export const DeliveryRow = Type.Object({
  deliveryId: Type.String(),
  eventId: OptionalText('absent once the event is deleted by retention'),
  eventName: Type.String(),
  userId: Type.String({ description: 'the user of its event' }),
  scriptId: Type.String(),
  providerId: Type.String(),
  status: StatusField,
  reason: Type.Optional(ReasonField),
  receivedAt: EpochMs({ description: 'when its event was received, epoch ms' }),
  at: EpochMs({ description: 'when its state changed last, epoch ms' }),
  attempts: Type.Integer({ description: 'the number of started attempts' }),
  nextAt: OptionalTime('when the next attempt is due, epoch ms'),
  httpStatus: OptionalInteger('the HTTP status of the last response'),
  message: OptionalText('the message of the last attempt, secrets redacted'),
  issues: Type.Optional(Type.Array(Issue, { description: 'the findings of the validation channel' })),
})
export type DeliveryRow = Static<typeof DeliveryRow>

/** The query of a list of deliveries, without its page. */
export const deliveryQuery = { ...deliveryFilters, ...rowFilters, ...personFilters, ...receivedRange }

export const deliveryOperations = {
  listDeliveries: {
    method: 'GET',
    path: '/tag/{tagId}/delivery',
    summary:
      'Lists the deliveries of a tag, newest event first; a page may have fewer rows than the limit and still a next',
    access: ['event:read'],
    query: Type.Object({ ...deliveryQuery, ...longPageQuery.properties }),
    response: Type.Object({ deliveries: Type.Array(DeliveryRow), next: Type.Optional(Type.String()) }),
    isQuery: true,
    faults: ['tagUnknown'],
  },
} as const satisfies Record<string, Operation>
