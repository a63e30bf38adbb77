import { CountsByStatus, deliveryFilters, ReasonField, StatusField, TimeMs } from './deliveryFilters.ts'
import { type Operation, pageQuery } from './operation.ts'
import { EpochMs, OptionalNumber, type Static, Type } from './schema.ts'

/** The number of deliveries by status, their sum and their rate. */
const statusShare = {
  counts: CountsByStatus,
  total: Type.Integer(),
  perMinute: Type.Number(),
  deliveredRate: OptionalNumber(
    'delivered divided by the sum of delivered, refused and dead; absent when the sum is 0',
  ),
}

/**
 * Percentiles of durations, from a histogram whose buckets grow by about a third: the error is below a sixth of the
 * value.
 */
const percentiles = { count: Type.Integer(), p50Ms: Type.Number(), p95Ms: Type.Number(), p99Ms: Type.Number() }
export const LatencyHistogram = Type.Object({
  ...percentiles,
  buckets: Type.Array(Type.Object({ toMs: Type.Number(), count: Type.Integer() }), {
    description: 'the number of durations up to `toMs` and above the bucket before; empty buckets are left out',
  }),
})
export type LatencyHistogram = Static<typeof LatencyHistogram>

const responseLatency = { description: 'how long vendors took to answer an attempt; absent without an attempt' }
const deliveryLatency = { description: 'from the receipt of the event to its delivery; absent without a delivery' }
const Latency = Type.Object({
  response: Type.Optional(Type.Object(LatencyHistogram.properties, responseLatency)),
  delivery: Type.Optional(Type.Object(LatencyHistogram.properties, deliveryLatency)),
})
const LatencyPercentiles = Type.Object({
  response: Type.Optional(Type.Object(percentiles, responseLatency)),
  delivery: Type.Optional(Type.Object(percentiles, deliveryLatency)),
})

const statsSteps = ['minute', 'hour', 'day'] as const
const Step = Type.Enum([...statsSteps])
const timeRange = {
  from: Type.Optional(Type.Integer({ ...TimeMs, description: 'epoch ms (an hour ago)' })),
  to: Type.Optional(Type.Integer({ ...TimeMs, description: 'epoch ms (now)' })),
}
/** The time range and the interval of a series. */
export const seriesQuery = {
  ...timeRange,
  step: Type.Optional(Type.Enum([...statsSteps], { description: 'the interval of the series (minute)' })),
}
/** The time range and the interval of a response. */
export const seriesRange = {
  from: EpochMs({ description: 'epoch ms' }),
  to: EpochMs({ description: 'epoch ms' }),
  step: Step,
}
const RefusedCallCounts = Type.Object(
  {
    total: Type.Integer(),
    ofTeam: Type.Integer({ description: 'over the rate limit of the team' }),
    ofTag: Type.Integer({ description: 'over the rate limit of the tag' }),
  },
  { description: 'calls of the tag that were answered 429 `INTAKE_RATE_EXCEEDED`; filters do not apply' },
)

export const Stats = Type.Object({
  ...seriesRange,
  events: Type.Object({ total: Type.Integer(), perMinute: Type.Number() }),
  refusedCalls: RefusedCallCounts,
  deliveries: Type.Object(statusShare),
  latency: Latency,
  byScript: Type.Array(
    Type.Object({
      scriptId: Type.String(),
      ...statusShare,
      latency: LatencyPercentiles,
      series: Type.Optional(
        Type.Array(Type.Object({ at: EpochMs(), counts: CountsByStatus }), {
          description: 'with `series=script`, for the ten scripts with the most deliveries',
        }),
      ),
    }),
  ),
  byEvent: Type.Array(
    Type.Object({
      eventName: Type.String({
        description: '`(other)`: names beyond the 500 that are counted separately on a day',
      }),
      events: Type.Integer(),
      ...statusShare,
    }),
  ),
  byReason: Type.Array(Type.Object({ status: StatusField, reason: ReasonField, count: Type.Integer() })),
  series: Type.Array(
    Type.Object({
      at: EpochMs({ description: 'epoch ms' }),
      events: Type.Integer(),
      refusedCalls: Type.Integer(),
      counts: CountsByStatus,
      latency: LatencyPercentiles,
    }),
  ),
  issues: Type.Array(
    Type.Object({
      eventName: Type.String(),
      path: Type.String({ description: 'the index of a list is `*`: `data.contents.*.id`' }),
      message: Type.String(),
      count: Type.Integer(),
    }),
  ),
})
export type Stats = Static<typeof Stats>

/** The counts of every tag of a team: one page of tags, in the order of `GET /tag`. */
export const TeamStats = Type.Object({
  ...seriesRange,
  tags: Type.Array(
    Type.Object({
      tagId: Type.String(),
      name: Type.String(),
      events: Type.Object({ total: Type.Integer(), perMinute: Type.Number() }),
      refusedCalls: Type.Object({ total: Type.Integer(), ofTeam: Type.Integer(), ofTag: Type.Integer() }),
      deliveries: Type.Object(statusShare),
      series: Type.Array(Type.Object({ at: EpochMs(), events: Type.Integer(), counts: CountsByStatus })),
    }),
  ),
  next: Type.Optional(Type.String()),
})
export type TeamStats = Static<typeof TeamStats>

const FunnelParts = Type.Array(
  Type.Object({ status: StatusField, reason: Type.Optional(ReasonField), count: Type.Integer() }),
  { description: 'the sum of the counts is `planned`' },
)
/** The current state of the deliveries for a time range's events. Each delivery is in exactly one part. */
export const Funnel = Type.Object({
  from: EpochMs({ description: 'epoch ms' }),
  to: EpochMs({ description: 'epoch ms' }),
  events: Type.Integer({ description: 'events received in the range, whose deliveries are planned' }),
  planned: Type.Integer({ description: 'their deliveries: one for each event and channel' }),
  parts: FunnelParts,
  byScript: Type.Array(Type.Object({ scriptId: Type.String(), planned: Type.Integer(), parts: FunnelParts })),
})
export type Funnel = Static<typeof Funnel>

export const statsOperations = {
  readStats: {
    method: 'GET',
    path: '/tag/{tagId}/stats',
    summary: 'Counts the events and deliveries of a tag by script, event name, status, reason and time, with latencies',
    access: ['event:read'],
    query: Type.Object({
      ...deliveryFilters,
      ...seriesQuery,
      series: Type.Optional(
        Type.Enum(['script'], { description: 'script: each of the ten largest scripts also has its own series' }),
      ),
    }),
    response: Stats,
    isQuery: true,
    faults: ['tagUnknown'],
  },
  readTeamStats: {
    method: 'GET',
    path: '/stats',
    summary: 'Counts the events and deliveries of each tag of the team by status and time',
    access: ['event:read'],
    query: Type.Object({ ...seriesQuery, ...pageQuery.properties }),
    response: TeamStats,
    isQuery: true,
  },
  readFunnel: {
    method: 'GET',
    path: '/tag/{tagId}/funnel',
    summary:
      'How the deliveries of the events of a time range stand now, by status and reason; the parts add up exactly',
    access: ['event:read'],
    query: Type.Object({ scriptId: deliveryFilters.scriptId, ...timeRange }),
    response: Funnel,
    isQuery: true,
    faults: ['tagUnknown'],
  },
} as const satisfies Record<string, Operation>
