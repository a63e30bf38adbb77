import { hostName } from '#kit/hostName.ts'
import type { Snapshot } from '#script/snapshot.ts'

const name = 'tag_user_id'
const maxAgeSeconds = 400 * 24 * 60 * 60
const pattern = new RegExp(`(?:^|;)\\s*${name}=([^;]*)`)

/** Reads the user's id from a Cookie header. */
export const readCookie = (header: string | undefined): string | undefined =>
  header && pattern.exec(header)?.[1]?.trim()

/**
 * The scope of the cookie: the request's Host header, and the path of the tag URL, empty on a host that this tag has
 * proved.
 */
type CookieScope = {
  host: string | undefined
  path: string
  tag: Pick<Snapshot, 'domain' | 'sameSite'>
  /** The origin is plain http, for which browsers refuse Secure cookies and therefore SameSite=None. */
  development: boolean
}

/**
 * The Set-Cookie header for the user's id, readable by the SDK (no HttpOnly). On a proved host under the tag's domain,
 * the cookie is first-party and valid for the whole domain. Elsewhere it is third-party, partitioned by the embedding
 * site (CHIPS), and limited to the tag URL: a tag's domain is not proved, and other tags may share the host.
 */
export function userCookie(userId: string, { host, path, tag, development }: CookieScope): string {
  const isOwn = path === '' && isUnder(hostName(host), tag.domain)
  const scope = `${isOwn ? domainOf(tag.domain) : ''}; Path=${path || '/'}`
  const sameSite = development ? 'Lax' : isOwn ? tag.sameSite : 'None'
  const secure = development ? '' : isOwn ? '; Secure' : '; Secure; Partitioned'
  return `${name}=${userId}${scope}; Max-Age=${maxAgeSeconds}; SameSite=${sameSite}${secure}`
}

const isUnder = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)

/**
 * Browsers refuse a Domain attribute that has no dot or is an IP address, so `localhost` and `127.0.0.1` get none.
 */
const domainOf = (domain: string) => (/\.[^.]*[a-z]/.test(domain) ? `; Domain=${domain}` : '')
