import type { Operation } from './operation.ts'
import { epochMsForm, Nullable, OptionalFlag, type Static, Type } from './schema.ts'
import { patterns } from './schemaPatterns.ts'
import { SecretEntry } from './script.ts'

const Texts = Type.Record(Type.String(), Type.String())

/** A line of `aglet simulate`: code of the playground or of a webhook, and the events for which it runs. */
export const SimulateLine = Type.Object({
  code: Type.String({
    minLength: 1,
    maxLength: 1_048_576,
    description: 'the value of PLAYGROUND_CODE or WEBHOOK_CODE',
  }),
  secrets: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'values by name, used only for this call' }),
  ),
  events: Type.Optional(
    Type.Array(
      Type.Object({
        eventName: Type.String({ minLength: 1, maxLength: 200 }),
        eventId: Type.Optional(Type.String({ maxLength: 500 })),
        timestamp: Type.Optional(Type.Number({ documented: epochMsForm })),
        data: Type.Optional(Type.Union([Type.Object({}), Type.Null()])),
      }),
      { minItems: 1, maxItems: 20, description: 'the events that the code is given; required without `requests`' },
    ),
  ),
  requests: Type.Optional(
    Type.Array(
      Type.Object({
        method: Type.Optional(Type.String({ pattern: patterns.method })),
        headers: Type.Optional(Texts),
        body: Type.Optional(Type.Unknown()),
      }),
      {
        minItems: 1,
        maxItems: 20,
        description: 'calls to a webhook from outside; a body that is not a text is sent as JSON',
      },
    ),
  ),
  user: Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'standard keys and `userId`' })),
  replies: Type.Optional(
    Type.Array(
      Type.Object({
        status: Type.Integer({ minimum: 200, maximum: 599 }),
        headers: Type.Optional(Texts),
        json: Type.Optional(Type.Unknown()),
      }),
      { maxItems: 200, description: 'the responses to its requests, in order; further requests get 200 and {}' },
    ),
  ),
})
export type SimulateLine = Static<typeof SimulateLine>

/** The body of a simulation: a line, with the secrets of a saved script or sealed entries instead of plain values. */
export const SimulateRequest = Type.Object({
  ...SimulateLine.properties,
  scriptId: Nullable(
    Type.String({
      maxLength: 100,
      description: 'a script of the team, whose secrets the code gets; needs secret:write, because code can copy them',
    }),
  ),
  sealed: Nullable(
    Type.Array(SecretEntry, { maxItems: 100, description: 'sealed entries, as a script of `provider` takes them' }),
  ),
  provider: Nullable(
    Type.Enum(['playground', 'webhook'], { description: 'the provider of the script or the entries' }),
  ),
})
export type SimulateRequest = Static<typeof SimulateRequest>

/** A line must contain events or requests to run the code with. */
export const simulateIssues = ({ events, requests }: Pick<SimulateLine, 'events' | 'requests'>) =>
  events || requests ? [] : [{ path: 'events', message: 'is required, unless there are requests' }]

const CodePosition = { line: Type.Optional(Type.Number()), column: Type.Optional(Type.Number()) }

/**
 * The result of one event. `result` is the code's return value; for a webhook, the Response `{status, headers, body}`.
 */
export const SimulatedEvent = Type.Object({
  eventId: Type.String(),
  requests: Type.Array(
    Type.Object({
      method: Type.String(),
      url: Type.String(),
      headers: Texts,
      body: Type.Optional(Type.String()),
      refused: OptionalFlag('the outbound guard does not allow this address'),
    }),
    { description: 'in the order of the calls of fetch; none is sent' },
  ),
  calls: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), args: Type.Array(Type.Unknown()) }), {
      description: 'the calls of a webhook to functions of its `params`; nothing is stored',
    }),
  ),
  logs: Type.Array(Type.Object({ level: Type.Enum(['log', 'error']), text: Type.String() })),
  result: Type.Optional(Type.Unknown()),
  error: Type.Optional(Type.Object({ message: Type.String(), ...CodePosition })),
})
export type SimulatedEvent = Static<typeof SimulatedEvent>

export const SimulationResult = Type.Object({ results: Type.Array(SimulatedEvent) })
export type SimulationResult = Static<typeof SimulationResult>

export const simulateOperations = {
  simulate: {
    method: 'POST',
    path: '/simulate',
    summary:
      'Runs code of the playground or of a webhook for sample events: its requests, results and logs; sends nothing',
    access: ['script:write'],
    body: SimulateRequest,
    response: SimulationResult,
    faults: ['webhookOff', 'scriptOrTagNotFound', 'secretRefused'],
  },
} as const satisfies Record<string, Operation>
