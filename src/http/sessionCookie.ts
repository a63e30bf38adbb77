import type { IncomingHttpHeaders } from 'node:http'
import type { EnvironmentName } from '#contract/me.ts'

/** `baseUrl` ends with the version segment. */
export type SessionCookieDeps = { environment: EnvironmentName; baseUrl: string }

/** The session cookie of one environment. */
export type SessionCookie = {
  /**
   * Whether a request comes from a page of this origin. Only such a page can send the header `Aglet-Session` to this
   * origin, because there is no CORS; the browser itself sets `Sec-Fetch-Site` (absent over plain http) and, for every
   * method but GET, `Origin`. A request with `Authorization` never counts.
   */
  isOwnPage(method: string, headers: IncomingHttpHeaders): boolean
  /** The session secret of the cookie. */
  read(headers: IncomingHttpHeaders): string | undefined
  /** The header `Set-Cookie`. An empty secret with a life of 0 deletes the cookie. */
  format(secret: string, lifeMs: number): string
}

const cookieNames = { production: 'aglet_session', sandbox: 'aglet_sandbox_session' } as const

/**
 * The browser sends the cookie only to paths of its environment (`Path`), not with requests from other sites except
 * links (`SameSite=Lax`), and hides it from scripts (`HttpOnly`).
 */
export function openSessionCookie({ environment, baseUrl }: SessionCookieDeps): SessionCookie {
  const { origin, pathname, protocol } = new URL(baseUrl)
  const name = `${cookieNames[environment]}=`
  const secure = protocol === 'https:' ? '; Secure' : ''
  return {
    isOwnPage: (method, headers) =>
      headers['aglet-session'] === '1' &&
      headers.authorization === undefined &&
      (headers['sec-fetch-site'] === undefined || headers['sec-fetch-site'] === 'same-origin') &&
      (method === 'GET' || headers.origin === origin),
    read({ cookie = '' }) {
      const pairs = cookie.split(';').map((pair) => pair.trim())
      return pairs.find((pair) => pair.startsWith(name))?.slice(name.length)
    },
    format: (secret, lifeMs) =>
      `${name}${secret}; Path=${pathname}; Max-Age=${lifeMs / 1000}; HttpOnly; SameSite=Lax${secure}`,
  }
}
