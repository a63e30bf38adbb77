import type { FaultName } from './fault.ts'
import { type TObject, type TSchema, Type } from './schema.ts'
import type { Scope } from './scopes.ts'

/** One call of the control API: who may make it, what it takes and gives, and the faults of its own. */
export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `/script/{scriptId}`; what stands in braces is a member of `params`. */
  path: string
  summary: string
  /**
   * The scopes the token must have, all of them; none asks for any good token. `session`: a person who is signed in, and no
   * token. `public`: anybody.
   */
  access: 'public' | 'session' | readonly Scope[]
  /** Whether the call names its team in `Team-Id`. */
  teamHeader: boolean
  params?: TObject
  query?: TObject
  body?: TSchema
  /** What a 200 holds. */
  gives: TSchema
  /** The answer is a stream of server-sent events; `gives` is what each of them holds. */
  streams?: true
  /** It searches or sums up the journal: so many at once for each team, and each for so long. */
  isQuery?: true
  /** Where set, the answer has an ETag and may be kept for so long; otherwise it is not stored at all. */
  maxAgeS?: number
  /** What can go wrong besides what goes wrong everywhere (see `faultsOf`). */
  faults: readonly FaultName[]
}

/** What a list is asked for. */
export const page = Type.Object({
  cursor: Type.Optional(Type.String({ maxLength: 1000, description: '`next` of the page before' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
})
