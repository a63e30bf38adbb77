import type { Operation } from './operation.ts'
import { type Static, Type } from './schema.ts'

const Texts = Type.Record(Type.String(), Type.String())

/** A line of `aglet simulate`: code of the playground or of a webhook, and the events that it is run for, one after the other. */
export const SimulateLine = Type.Object({
  code: Type.String({
    minLength: 1,
    maxLength: 1_048_576,
    description: 'what PLAYGROUND_CODE or WEBHOOK_CODE would hold',
  }),
  secrets: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'named values, for this answer alone' }),
  ),
  events: Type.Array(
    Type.Object({
      eventName: Type.String({ minLength: 1, maxLength: 200 }),
      eventId: Type.Optional(Type.String({ maxLength: 500 })),
      timestamp: Type.Optional(Type.Number()),
      data: Type.Optional(Type.Union([Type.Object({}), Type.Null()])),
    }),
    { minItems: 1, maxItems: 20 },
  ),
  user: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'standard keys and `userId`' })),
  replies: Type.Optional(
    Type.Array(
      Type.Object({
        status: Type.Integer({ minimum: 200, maximum: 599 }),
        headers: Type.Optional(Texts),
        json: Type.Optional(Type.Unknown()),
      }),
      { maxItems: 200, description: 'what its requests are answered, in order; the others by 200 and {}' },
    ),
  ),
})
export type SimulateLine = Static<typeof SimulateLine>

const Place = { line: Type.Optional(Type.Number()), column: Type.Optional(Type.Number()) }

/** What became of one event. `result` is what the code returned; of a webhook its Response: `{status, headers, body}`. */
export const Simulated = Type.Object({
  eventId: Type.String(),
  requests: Type.Array(
    Type.Object({
      method: Type.String(),
      url: Type.String(),
      headers: Texts,
      body: Type.Optional(Type.String()),
      refused: Type.Optional(Type.Boolean({ description: 'no customer may reach this address' })),
    }),
    { description: 'in the order of the code; none was sent' },
  ),
  calls: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), args: Type.Array(Type.Unknown()) }), {
      description: 'what a webhook called of its `params`; answered, and kept nowhere',
    }),
  ),
  logs: Type.Array(Type.Object({ level: Type.Enum(['log', 'error']), text: Type.String() })),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Object({ message: Type.String(), ...Place })),
})
export type Simulated = Static<typeof Simulated>

export const Simulation = Type.Object({ results: Type.Array(Simulated) })
export type Simulation = Static<typeof Simulation>

export const simulateRows = {
  simulate: {
    method: 'POST',
    path: '/simulate',
    summary: 'Runs code of the playground or of a webhook for sample events: what it would send, returns and logs',
    access: ['script:write'],
    teamHeader: true,
    body: SimulateLine,
    gives: Simulation,
    faults: ['webhookOff'],
  },
} as const satisfies Record<string, Operation>
