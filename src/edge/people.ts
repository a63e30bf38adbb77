import type { OutgoingHttpHeaders } from 'node:http'
import type { ReadBody } from '#event/read.ts'
import { newUserId } from '#kit/id.ts'
import { userCookie } from '#user/cookie.ts'
import { type NamedUser, nameUser } from '#user/name.ts'
import type { Call } from './edge.ts'

/** Who the events of a body are of. */
export type People = {
  userId: string
  presented: boolean
  /** One for each event of the body, where it may be of several people. */
  userIds?: readonly string[]
}

/** The user that a call names; a fresh one where it names none. */
export const nameCaller = ({ edge, request: { headers }, query }: Asking): NamedUser =>
  nameUser({ header: headers[edge.userHeader] as string | undefined, cookie: headers.cookie, query })

type Asking = Pick<Call, 'edge' | 'query'> & { request: Pick<Call['request'], 'headers'> }

/**
 * Names the user of a request. A server may send the events of many people in one body without saying whose they are:
 * then each event is of a user of its own, so that what is learnt of one person never gets to another. Browsers send
 * an Origin, and all that one sends is of one person.
 */
export function nameUsers({ edge, request: { headers }, query }: Call, { events }: ReadBody): People {
  const named = nameCaller({ edge, request: { headers }, query })
  if (named.presented || events.length === 1 || headers.origin !== undefined) return named
  return { ...named, userIds: events.map(newUserId) }
}

/** Sets the user's cookie, except on a server that says itself who its events are of, or cannot say it. */
export function rememberUser({ edge, tag, request, tagPath }: Call, people: People, out: OutgoingHttpHeaders): void {
  const { origin, cookie, host } = request.headers
  const isServer = origin === undefined && cookie === undefined
  if (isServer && (people.presented || people.userIds)) return
  setCookie({ edge, tag, tagPath }, people.userId, host, out)
}

export function setCookie(
  { edge, tag, tagPath }: Pick<Call, 'edge' | 'tag' | 'tagPath'>,
  userId: string,
  host: string | undefined,
  out: OutgoingHttpHeaders,
): void {
  out['set-cookie'] = userCookie(userId, { host, path: tagPath, tag, development: edge.on.development })
}
