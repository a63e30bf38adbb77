import { type Operation, page } from './operation.ts'
import { reasons } from './outcome.ts'
import { type Static, Type } from './schema.ts'

/** What befell a channel. */
export const alertKinds = ['paused', 'resumed', 'dead', 'recovered'] as const
export type AlertKind = (typeof alertKinds)[number]

/** How an alert reached one hook. */
const Sending = Type.Object({
  hookId: Type.String(),
  status: Type.Enum(['pending', 'sent', 'failed']),
  tries: Type.Integer(),
  message: Type.Optional(Type.String({ description: 'what came of the last try, where it was in vain' })),
})

/** What a team was told of one of its channels. */
export const Alert = Type.Object({
  alertId: Type.String(),
  kind: Type.Enum([...alertKinds]),
  tagId: Type.String(),
  scriptId: Type.String(),
  reason: Type.Enum([...reasons]),
  count: Type.Integer({ description: 'how often it happened since `since`: one alert stands for all of it' }),
  since: Type.Integer({ description: 'epoch ms' }),
  at: Type.Integer({ description: 'when it was told, epoch ms' }),
  sendings: Type.Array(Sending),
})
export type Alert = Static<typeof Alert>
export const AlertList = Type.Object({ alerts: Type.Array(Alert), next: Type.Optional(Type.String()) })

export const alertRows = {
  listAlerts: {
    method: 'GET',
    path: '/alert',
    summary: 'What the team was told of its channels, newest first, and how it reached each alert hook',
    access: ['hook:write'],
    teamHeader: true,
    query: page,
    gives: AlertList,
    faults: [],
  },
} as const satisfies Record<string, Operation>
