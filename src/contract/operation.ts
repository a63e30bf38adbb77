import type { FaultName } from './fault.ts'
import { type TObject, type TSchema, Type } from './schema.ts'
import type { Scope } from './scopes.ts'

/** One operation of the control API: its access, its input and response, and its own faults. */
export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** `/script/{scriptId}`; the names in braces are the `params` of a call. */
  path: string
  summary: string
  /**
   * The scopes that the token, or the role of a signed-in person, must have. An empty list means any valid token or
   * member. `session`: a signed-in person instead of a token. `operator`: the signed-in operator. `public`: no
   * authentication.
   */
  access: 'public' | 'session' | 'operator' | readonly Scope[]
  /** Scopes that also give access, so that tokens from before a new scope keep their access. */
  formerAccess?: readonly Scope[]
  /** The header `Team-Id` may be absent, as it may not for the other operations of a team (see `needsTeam`). */
  isTeamOptional?: true
  /** The schema of the names in the path, unless each is any text (see `paramsOf`). */
  params?: TObject
  query?: TObject
  body?: TSchema
  /** The body of a 200. */
  response: TSchema
  /** The response is a stream of server-sent events. `response` is the schema of each event. */
  isStream?: true
  /** The response is a file, streamed as CSV or as NDJSON. `response` is the schema of a row. */
  isExport?: true
  /** Searches or aggregates the journal: limits apply to its duration and to the team's concurrent queries. */
  isQuery?: true
  /** Accepts the header `If-Match` with the version of the tag or script on which the write is based. */
  takesVersion?: true
  /** The Cache-Control max-age of the response, which then has an ETag. Without it, the response is `no-store`. */
  maxAgeS?: number
  /** The faults in addition to those that follow from the other members (see `faultsOf`). */
  faults?: readonly FaultName[]
}

/** The query of a paged list. */
export const pageQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: '`next` of the previous page',
      documented: { pattern: '^[A-Za-z0-9_-]*$' },
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
})

/** The query of a list with small rows, which allows larger pages. */
export const longPageQuery = Type.Object({
  cursor: pageQuery.properties.cursor,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 50 })),
})

/** Several values of a query field: `status=dead,refused`. A row matches one of them. */
export const commaList = <S extends TSchema>(value: S, description?: string) =>
  Type.Array(value, { minItems: 1, maxItems: 50, ...(description !== undefined && { description }) })

/** The formats of an export: CSV (RFC 4180) with a header line, or one JSON object on each line. */
const exportFormats = ['csv', 'ndjson'] as const
export type ExportFormat = (typeof exportFormats)[number]
export const ExportFormatField = Type.Optional(
  Type.Enum([...exportFormats], {
    description:
      'csv: RFC 4180 with a header line; a cell that a spreadsheet would run as a formula begins with a quote mark · ndjson: one JSON object on each line (ndjson)',
  }),
)
