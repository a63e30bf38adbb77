import type { Operation } from './operation.ts'
import { EpochMs, OptionalText, type Static, Type } from './schema.ts'
import { seriesQuery, seriesRange } from './stats.ts'

const RefusedCodes = Type.Record(Type.String(), Type.Integer(), {
  description: 'refused calls by the code of their Error object; ORIGIN_REFUSED, …',
})
/** `accepted`, `duplicate` and `rejected` count events; `refused` counts calls. */
const intakeCounts = {
  accepted: Type.Integer(),
  duplicate: Type.Integer(),
  rejected: Type.Integer(),
  refused: RefusedCodes,
}

/** A refused call of a tag URL. Contains no values of the body. */
export const Refusal = Type.Object({
  at: EpochMs({ description: 'epoch ms' }),
  code: Type.String({ description: 'the code of the Error object' }),
  method: Type.String(),
  path: Type.String({ description: 'the part of the URL after the tag URL, without the query' }),
  origin: OptionalText('the header Origin, its first 200 characters'),
})
export type Refusal = Static<typeof Refusal>

/** A refused call in a live stream. */
export const LiveRefusal = Type.Object({
  ...Refusal.properties,
  field: OptionalText('the field of the body that was missing or wrong; it is not stored'),
})
export type LiveRefusal = Static<typeof LiveRefusal>

/** The last call to a tag URL by pages of a host, or by a server (no host). */
export const SeenCaller = Type.Object({
  call: Type.Enum(['load', 'init', 'tag']),
  at: EpochMs({ description: 'epoch ms' }),
  host: OptionalText('the host of the page; absent for a server'),
  sdkVersion: OptionalText('for load: the version of the SDK that was sent'),
})
export type SeenCaller = Static<typeof SeenCaller>

/** The calls to a tag URL: counts over time, the last refusals, and the callers. */
export const IntakeReport = Type.Object({
  ...seriesRange,
  ...intakeCounts,
  series: Type.Array(Type.Object({ at: EpochMs({ description: 'epoch ms' }), ...intakeCounts })),
  refusals: Type.Array(Refusal, { description: 'the last 100, newest first' }),
  seen: Type.Array(SeenCaller, { description: 'newest first' }),
})
export type IntakeReport = Static<typeof IntakeReport>

export const intakeOperations = {
  readIntake: {
    method: 'GET',
    path: '/tag/{tagId}/intake',
    summary:
      'What came to a tag URL: events by result, refused calls by code, the last refusals, and when pages of which host called last',
    access: ['event:read'],
    query: Type.Object(seriesQuery),
    response: IntakeReport,
    isQuery: true,
    faults: ['tagUnknown'],
  },
} as const satisfies Record<string, Operation>
