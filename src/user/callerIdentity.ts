import { newUserId } from '#kit/id.ts'
import { readCookie } from './userCookie.ts'

/**
 * The parts of a request that may contain a user id: the header `<Brand>UserId`, the Cookie header, the query without
 * `?`.
 */
type CallerIdentity = { header: string | undefined; cookie: string | undefined; query: string }

/** `fromQuery`: the id came from the URL, which another site can write. */
export type IdentifiedUser = { userId: string; hasExplicitUserId: boolean; fromQuery?: true }

/** `.` and `..` are path segments in a URL: clients resolve them, so such a user could be neither read nor erased. */
const validId = /^(?!\.{1,2}$)[A-Za-z0-9_.:-]{1,128}$/

/**
 * Identifies the user of a request: header, else cookie, else `?userId=` (beacons cannot set headers), else a new id.
 * An empty or invalid id is ignored.
 */
export function identifyCaller({ header, cookie, query }: CallerIdentity): IdentifiedUser {
  const userId = idOf(header) ?? idOf(readCookie(cookie))
  if (userId) return { userId, hasExplicitUserId: true }
  const queryId = query && idOf(new URLSearchParams(query).get('userId'))
  return queryId
    ? { userId: queryId, hasExplicitUserId: true, fromQuery: true }
    : { userId: newUserId(), hasExplicitUserId: false }
}

const idOf = (text: string | null | undefined) => (text && validId.test(text) ? text : undefined)
