import { newUserId } from '#kit/id.ts'
import { readCookie } from './cookie.ts'

/** What a request says of who it is of: the header `<Brand>UserId`, the Cookie header, the query without its `?`. */
export type Presented = { header: string | undefined; cookie: string | undefined; query: string }

export type NamedUser = { userId: string; presented: boolean }

const sane = /^[A-Za-z0-9_.:-]{1,128}$/

/**
 * Names the user of a request: header, else cookie, else `?userId=` (beacons cannot set headers), else a fresh id.
 * An id that is empty or not of a sane form counts as none.
 */
export function nameUser({ header, cookie, query }: Presented): NamedUser {
  const userId = idOf(header) ?? idOf(readCookie(cookie)) ?? (query && idOf(new URLSearchParams(query).get('userId')))
  return userId ? { userId, presented: true } : { userId: newUserId(), presented: false }
}

const idOf = (text: string | null | undefined) => (text && sane.test(text) ? text : undefined)
