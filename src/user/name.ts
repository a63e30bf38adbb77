import { newUserId } from '#kit/id.ts'
import { readCookie } from './cookie.ts'

/** What a request says of who it is of: the header `<Brand>UserId`, the Cookie header, the query without its `?`. */
export type Presented = { header: string | undefined; cookie: string | undefined; query: string }

/** `fromQuery`: the id stood in the address, which another site can write. */
export type NamedUser = { userId: string; presented: boolean; fromQuery?: true }

const sane = /^[A-Za-z0-9_.:-]{1,128}$/

/**
 * Names the user of a request: header, else cookie, else `?userId=` (beacons cannot set headers), else a fresh id.
 * An id that is empty or not of a sane form counts as none.
 */
export function nameUser({ header, cookie, query }: Presented): NamedUser {
  const userId = idOf(header) ?? idOf(readCookie(cookie))
  if (userId) return { userId, presented: true }
  const asked = query && idOf(new URLSearchParams(query).get('userId'))
  return asked ? { userId: asked, presented: true, fromQuery: true } : { userId: newUserId(), presented: false }
}

const idOf = (text: string | null | undefined) => (text && sane.test(text) ? text : undefined)
