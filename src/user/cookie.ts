import { hostName } from '#kit/hostName.ts'
import type { Snapshot } from '#script/snapshot.ts'

const name = 'tag_user_id'
const maxAgeSeconds = 400 * 24 * 60 * 60
const named = new RegExp(`(?:^|;)\\s*${name}=([^;]*)`)

/** The user's id in a Cookie header. */
export const readCookie = (header: string | undefined): string | undefined => header && named.exec(header)?.[1]?.trim()

/** Where a cookie is set from: the Host header, and the path of the tag's URL there, empty on a host of the tag's own. */
export type CookiePlace = {
  host: string | undefined
  path: string
  tag: Pick<Snapshot, 'domain' | 'sameSite'>
  /** The origin is plain http: there a browser takes no Secure cookie, and so none that is SameSite=None. */
  development: boolean
}

/**
 * The Set-Cookie line that keeps the user's id, readable by the SDK. Under the tag's own domain it is first-party and
 * belongs to all of it; elsewhere it is third-party and kept apart for each site that embeds the tag.
 */
export function userCookie(userId: string, { host, path, tag, development }: CookiePlace): string {
  const isOwn = isUnder(hostName(host), tag.domain)
  const scope = isOwn ? `${domainOf(tag.domain)}; Path=/` : `; Path=${path || '/'}`
  const sameSite = development ? 'Lax' : isOwn ? tag.sameSite : 'None'
  const secure = development ? '' : isOwn ? '; Secure' : '; Secure; Partitioned'
  return `${name}=${userId}${scope}; Max-Age=${maxAgeSeconds}; SameSite=${sameSite}${secure}`
}

const isUnder = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)

/** Browsers take no Domain without a dot and none that is an address: `localhost` and `127.0.0.1` go without. */
const domainOf = (domain: string) => (/\.[^.]*[a-z]/.test(domain) ? `; Domain=${domain}` : '')
