import { type Operation, page } from './operation.ts'
import { reasons, statuses } from './outcome.ts'
import { Nullable, type Static, Type } from './schema.ts'

/** How a delivery may stand that is replayed: it has come to an end. */
export const replayable = ['dead', 'refused', 'skipped', 'simulated', 'delivered'] as const
export type Replayable = (typeof replayable)[number]

const moment = (description: string) =>
  Nullable(Type.Union([Type.Integer({ minimum: 0 }), Type.String({ maxLength: 40 })], { description }))
const list = (description: string) =>
  Nullable(Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { minItems: 1, maxItems: 500, description }))
const Standing = Type.Enum([...replayable])

export const ReplayWrite = Type.Object({
  from: moment('events received since then: epoch ms, or a date such as 2026-11-20T10:00:00Z'),
  to: moment('and until then'),
  status: Nullable(
    Type.Union([Standing, Type.Array(Standing, { minItems: 1, maxItems: replayable.length })], {
      description: 'deliveries that stand so (dead, refused); delivered ones with force alone',
    }),
  ),
  eventNames: list('events of these names'),
  eventIds: list('these events, of the last seven days; needs no from and to'),
  scriptIds: list('deliveries of these scripts'),
  dryRun: Type.Optional(Type.Boolean({ description: 'says what would be sent, and sends nothing' })),
  force: Type.Optional(Type.Boolean({ description: 'sends what was delivered as well' })),
})
export type ReplayWrite = Static<typeof ReplayWrite>

const countsBy = <const Name extends string>(names: readonly Name[], description: string) =>
  Type.Partial(Type.Record(Type.Enum([...names]), Type.Integer()), { description })

/** What became of the deliveries of one script. */
const ScriptCounts = Type.Object({
  scriptId: Type.String(),
  matched: Type.Integer({ description: 'deliveries that were asked for' }),
  replayed: Type.Integer({ description: 'those that go out again' }),
  left: countsBy(reasons, 'those that do not, by reason: tooOld, consent, expired (the event is kept no longer), …'),
  now: countsBy(statuses, 'how the replayed ones stand now'),
})

export const replayStates = ['dryRun', 'queued', 'running', 'sending', 'done', 'stopping', 'stopped'] as const

export const Replay = Type.Object({
  replayId: Type.Optional(Type.String({ description: 'absent of a dry run' })),
  state: Type.Enum([...replayStates], {
    description:
      'queued behind another of the tag · running: going through the events · sending: all are handed to their channels · done: none is pending any more',
  }),
  at: Type.Integer({ description: 'when it was asked for, epoch ms' }),
  by: Type.String({ description: 'the id of a token or a person, or `operator`' }),
  startedAt: Type.Optional(Type.Integer()),
  endedAt: Type.Optional(Type.Integer()),
  from: Type.Optional(Type.Integer()),
  to: Type.Optional(Type.Integer()),
  statuses: Type.Array(Standing),
  eventNames: Type.Optional(Type.Array(Type.String())),
  scriptIds: Type.Optional(Type.Array(Type.String())),
  events: Type.Optional(Type.Integer({ description: 'how many of eventIds are known' })),
  matched: Type.Integer(),
  replayed: Type.Integer(),
  isWhole: Type.Boolean({ description: 'false while there are events that were not looked at' }),
  scripts: Type.Array(ScriptCounts),
})
export type Replay = Static<typeof Replay>
export const ReplayList = Type.Object({ replays: Type.Array(Replay), next: Type.Optional(Type.String()) })

const ofTag = Type.Object({ tagId: Type.String() })
const ofReplay = Type.Object({ tagId: Type.String(), replayId: Type.String() })

export const replayRows = {
  createReplay: {
    method: 'POST',
    path: '/tag/{tagId}/replay',
    summary: 'Sends events again to channels that did not take them; a dry run says what would be sent',
    access: ['replay:write'],
    teamHeader: true,
    params: ofTag,
    body: ReplayWrite,
    gives: Replay,
    faults: ['tagUnknown', 'tooManyReplays', 'tooManyQueries'],
  },
  listReplays: {
    method: 'GET',
    path: '/tag/{tagId}/replay',
    summary: 'The replays of a tag, newest first',
    access: ['replay:write'],
    teamHeader: true,
    params: ofTag,
    query: page,
    gives: ReplayList,
    isQuery: true,
    faults: ['tagUnknown'],
  },
  readReplay: {
    method: 'GET',
    path: '/tag/{tagId}/replay/{replayId}',
    summary: 'How far a replay is, and what became of its deliveries',
    access: ['replay:write'],
    teamHeader: true,
    params: ofReplay,
    gives: Replay,
    isQuery: true,
    faults: ['tagUnknown', 'replayUnknown'],
  },
  stopReplay: {
    method: 'DELETE',
    path: '/tag/{tagId}/replay/{replayId}',
    summary: 'Stops a replay: what it has not sent yet stands as it stood before',
    access: ['replay:write'],
    teamHeader: true,
    params: ofReplay,
    gives: Replay,
    isQuery: true,
    faults: ['tagUnknown', 'replayUnknown'],
  },
} as const satisfies Record<string, Operation>
