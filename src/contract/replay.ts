import { reasons, statuses } from './deliveryStatus.ts'
import { type Operation, pageQuery } from './operation.ts'
import { EpochMs, Nullable, OptionalFlag, OptionalInteger, OptionalText, type Static, Type } from './schema.ts'

/** The statuses that can be replayed: the final ones. */
const replayableStatuses = ['dead', 'refused', 'skipped', 'simulated', 'delivered'] as const
export type ReplayableStatus = (typeof replayableStatuses)[number]

const epochMs = (description: string) =>
  Nullable(Type.Union([Type.Integer({ minimum: 0 }), Type.String({ maxLength: 40 })], { description }))
const list = (description: string) =>
  Nullable(Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { minItems: 1, maxItems: 500, description }))
export const ReplayableStatusSchema = Type.Enum([...replayableStatuses])

export const ReplayWrite = Type.Object({
  from: epochMs('events received at or after this time: epoch ms, or a date such as 2026-11-20T10:00:00Z'),
  to: epochMs('events received before this time'),
  status: Nullable(
    Type.Union(
      [
        ReplayableStatusSchema,
        Type.Array(ReplayableStatusSchema, { minItems: 1, maxItems: replayableStatuses.length }),
      ],
      {
        description: 'deliveries of these statuses (dead, refused); delivered ones only with force',
      },
    ),
  ),
  eventNames: list('events of these names'),
  eventIds: list('these events, of the last seven days; needs no from and to'),
  scriptIds: list('deliveries of these scripts'),
  dryRun: OptionalFlag('counts what would be sent, and sends nothing'),
  force: OptionalFlag('also sends deliveries that were delivered'),
})
export type ReplayWrite = Static<typeof ReplayWrite>

const countsBy = <const Name extends string>(names: readonly Name[], description: string) =>
  Type.Partial(Type.Record(Type.Enum([...names]), Type.Integer()), { description })

/** The counts of one script's deliveries. */
const ScriptCounts = Type.Object({
  scriptId: Type.String(),
  matched: Type.Integer({ description: 'deliveries that match the request' }),
  replayed: Type.Integer({ description: 'deliveries that are sent again' }),
  left: countsBy(
    reasons,
    'deliveries that are not sent again, by reason: tooOld, consent, expired (the event is deleted by retention), …',
  ),
  now: countsBy(statuses, 'the current statuses of the replayed deliveries'),
})

const replayStates = ['dryRun', 'queued', 'running', 'sending', 'done', 'stopping', 'stopped'] as const

export const Replay = Type.Object({
  replayId: OptionalText('absent for a dry run'),
  state: Type.Enum([...replayStates], {
    description:
      'queued: waits for another replay of the tag · running: reads the events · sending: all deliveries are queued · done: no delivery is pending',
  }),
  at: EpochMs({ description: 'when it was created, epoch ms' }),
  by: Type.String({ description: 'the id of a token or a person, or `operator`' }),
  startedAt: Type.Optional(EpochMs()),
  endedAt: Type.Optional(EpochMs()),
  from: Type.Optional(Type.Integer()),
  to: Type.Optional(Type.Integer()),
  statuses: Type.Array(ReplayableStatusSchema),
  eventNames: Type.Optional(Type.Array(Type.String())),
  scriptIds: Type.Optional(Type.Array(Type.String())),
  events: OptionalInteger('how many of eventIds exist'),
  matched: Type.Integer(),
  replayed: Type.Integer(),
  isWhole: Type.Boolean({ description: 'false while not all events are read' }),
  scripts: Type.Array(ScriptCounts),
})
export type Replay = Static<typeof Replay>

export const replayOperations = {
  createReplay: {
    method: 'POST',
    path: '/tag/{tagId}/replay',
    summary: 'Sends events again to channels that did not accept them; a dry run counts what would be sent',
    access: ['replay:write'],
    body: ReplayWrite,
    response: Replay,
    faults: ['tagUnknown', 'tooManyReplays', 'tooManyQueries'],
  },
  listReplays: {
    method: 'GET',
    path: '/tag/{tagId}/replay',
    summary: 'Lists the replays of a tag, newest first',
    access: ['replay:read'],
    formerAccess: ['replay:write'],
    query: pageQuery,
    response: Type.Object({ replays: Type.Array(Replay), next: Type.Optional(Type.String()) }),
    isQuery: true,
    faults: ['tagUnknown'],
  },
  readReplay: {
    method: 'GET',
    path: '/tag/{tagId}/replay/{replayId}',
    summary: 'The progress of a replay, and the statuses of its deliveries',
    access: ['replay:read'],
    formerAccess: ['replay:write'],
    response: Replay,
    isQuery: true,
    faults: ['tagUnknown', 'replayUnknown'],
  },
  stopReplay: {
    method: 'DELETE',
    path: '/tag/{tagId}/replay/{replayId}',
    summary: 'Stops a replay: deliveries that it has not sent keep their previous status',
    access: ['replay:write'],
    response: Replay,
    isQuery: true,
    faults: ['tagUnknown', 'replayUnknown'],
  },
} as const satisfies Record<string, Operation>
