import type { OutgoingHttpHeaders } from 'node:http'
import type { ParsedBody } from '#event/parseBody.ts'
import { newUserId } from '#kit/id.ts'
import { type IdentifiedUser, identifyCaller } from '#user/callerIdentity.ts'
import { userCookie } from '#user/userCookie.ts'
import type { EdgeCall } from './edge.ts'

/** The users of the events of a body. */
export type RequestUsers = {
  userId: string
  hasExplicitUserId: boolean
  /** One user id for each event of the body, where these may be of several users. */
  userIds?: readonly string[]
}

/** The user whose id a call sends, else a new user. */
export const identifyRequestCaller = ({ edge, request: { headers }, query }: CallerRequest): IdentifiedUser =>
  identifyCaller({ header: headers[edge.userHeader] as string | undefined, cookie: headers.cookie, query })

type CallerRequest = Pick<EdgeCall, 'edge' | 'query'> & { request: Pick<EdgeCall['request'], 'headers'> }

/**
 * Identifies the users of a request. A server may send the events of many users in one body without user ids. Each
 * event then gets a new user, so that the data of one person is never stored for another. Browsers send an Origin; all
 * events of one browser are of one person.
 */
export function identifyUsers({ edge, request: { headers }, query }: EdgeCall, { events }: ParsedBody): RequestUsers {
  const caller = identifyRequestCaller({ edge, request: { headers }, query })
  if (caller.hasExplicitUserId || events.length === 1 || headers.origin !== undefined) return caller
  return { ...caller, userIds: events.map(newUserId) }
}

/** Sets the user's cookie, except for a server that sends user ids itself or whose events have one new user each. */
export function setUserCookieOf(
  { edge, tag, request, tagPath }: EdgeCall,
  users: RequestUsers,
  out: OutgoingHttpHeaders,
): void {
  const { origin, cookie, host } = request.headers
  const isServer = origin === undefined && cookie === undefined
  if (isServer && (users.hasExplicitUserId || users.userIds)) return
  setUserCookie({ edge, tag, tagPath }, users.userId, host, out)
}

export function setUserCookie(
  { edge, tag, tagPath }: Pick<EdgeCall, 'edge' | 'tag' | 'tagPath'>,
  userId: string,
  host: string | undefined,
  out: OutgoingHttpHeaders,
): void {
  out['set-cookie'] = userCookie(userId, { host, path: tagPath, tag, development: edge.deps.development })
}
