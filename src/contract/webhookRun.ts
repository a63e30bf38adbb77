import { type Operation, pageQuery } from './operation.ts'
import { EpochMs, OptionalInteger, OptionalText, type Static, Type } from './schema.ts'

/** A run of webhook code for a call from outside. Secrets are redacted from logs and errors. */
export const Run = Type.Object({
  runId: Type.String(),
  at: EpochMs({ description: 'when the call came, epoch ms' }),
  durationMs: Type.Number(),
  status: Type.Integer({ description: 'the HTTP status that the caller got' }),
  request: Type.Optional(
    Type.Object(
      {
        method: Type.String(),
        path: Type.String({ description: 'below the address of the webhook, without the query' }),
        contentType: Type.Optional(Type.String()),
        body: OptionalText('its first 4,096 characters'),
      },
      { description: 'the request, with secrets and e-mail addresses masked; absent without user:read' },
    ),
  ),
  error: Type.Optional(
    Type.Object({
      message: Type.String(),
      line: OptionalInteger('in the code of the script'),
      column: Type.Optional(Type.Integer()),
    }),
  ),
  logs: Type.Array(Type.Object({ level: Type.Enum(['log', 'error']), text: Type.String() }), {
    description: 'what the code logged, at most 16 KiB; empty without user:read, because it may name people',
  }),
  eventIds: Type.Array(Type.String(), { description: 'the events that the code passed to handleTag; at most 100' }),
})
export type Run = Static<typeof Run>

/** A run in a live stream. `GET /script/{scriptId}/run` has its request and logs. */
export const LiveRun = Type.Object({
  scriptId: Type.String(),
  ...Type.Pick(Run, ['runId', 'at', 'durationMs', 'status', 'error']).properties,
})
export type LiveRun = Static<typeof LiveRun>

/** The run that produced an event. */
export const RunOfEvent = Type.Object({ runId: Type.String(), scriptId: Type.String() })

export const runOperations = {
  listRuns: {
    method: 'GET',
    path: '/script/{scriptId}/run',
    summary:
      'Lists the runs of a webhook for calls from outside, newest first: request, status, logs, error and line; the last 1,000 of 7 days',
    access: ['event:read'],
    query: pageQuery,
    response: Type.Object({ runs: Type.Array(Run), next: Type.Optional(Type.String()) }),
    faults: ['scriptOrTagNotFound'],
  },
} as const satisfies Record<string, Operation>
