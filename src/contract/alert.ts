import { reasons } from './deliveryStatus.ts'
import { type Operation, pageQuery } from './operation.ts'
import { EpochMs, OptionalText, type Static, Type } from './schema.ts'

/** The kinds of channel alerts. */
export const alertKinds = ['paused', 'resumed', 'failing', 'dead', 'recovered'] as const
export type AlertKind = (typeof alertKinds)[number]

/** The delivery of an alert to one hook. */
const Sending = Type.Object({
  hookId: Type.String(),
  status: Type.Enum(['pending', 'sent', 'failed']),
  tries: Type.Integer(),
  message: OptionalText('the error of the last attempt, if it failed'),
})

/** An alert about one channel of a team. */
export const Alert = Type.Object({
  alertId: Type.String(),
  kind: Type.Enum([...alertKinds]),
  tagId: Type.String(),
  scriptId: Type.String(),
  reason: Type.Enum([...reasons]),
  count: Type.Integer({ description: 'how many occurrences since `since` this alert covers' }),
  since: EpochMs({ description: 'epoch ms' }),
  at: EpochMs({ description: 'when the alert was created, epoch ms' }),
  sendings: Type.Array(Sending),
})
export type Alert = Static<typeof Alert>

export const alertOperations = {
  listAlerts: {
    method: 'GET',
    path: '/alert',
    summary: 'Lists the alerts about the channels of the team, newest first, with the delivery to each alert hook',
    access: ['event:read'],
    formerAccess: ['hook:write'],
    query: pageQuery,
    response: Type.Object({ alerts: Type.Array(Alert), next: Type.Optional(Type.String()) }),
  },
} as const satisfies Record<string, Operation>
