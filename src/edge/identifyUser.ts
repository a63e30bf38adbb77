import type { OutgoingHttpHeaders } from 'node:http'
import type { EventUsers } from '#event/ingest.ts'
import { type IdentifiedUser, identifyCaller } from '#user/callerIdentity.ts'
import { userCookie } from '#user/userCookie.ts'
import type { EdgeCall } from './edge.ts'

/** The user whose id a call sends, else a new user. */
export const identifyRequestCaller = ({ edge, request: { headers }, query }: CallerRequest): IdentifiedUser =>
  identifyCaller({ header: headers[edge.userHeader] as string | undefined, cookie: headers.cookie, query })

type CallerRequest = Pick<EdgeCall, 'edge' | 'query'> & { request: Pick<EdgeCall['request'], 'headers'> }

/** Sets the user's cookie. Skipped for a server that sends user ids itself or whose events each have a new user. */
export function setUserCookieOf(
  { edge, tag, request, tagPath, isOwnHost }: EdgeCall,
  users: EventUsers,
  out: OutgoingHttpHeaders,
): void {
  const { origin, cookie, host } = request.headers
  const isServer = origin === undefined && cookie === undefined
  if (isServer && (users.hasExplicitUserId || users.userIds)) return
  setUserCookie({ edge, tag, tagPath, isOwnHost }, users.userId, host, out)
}

export function setUserCookie(
  { edge, tag, tagPath, isOwnHost }: Pick<EdgeCall, 'edge' | 'tag' | 'tagPath' | 'isOwnHost'>,
  userId: string,
  host: string | undefined,
  out: OutgoingHttpHeaders,
): void {
  const path = isOwnHost ? '' : tagPath
  out['set-cookie'] = userCookie(userId, { host, path, tag, development: edge.deps.development })
}
