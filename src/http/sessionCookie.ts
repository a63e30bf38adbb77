import type { IncomingHttpHeaders } from 'node:http'
import { deviceLifeMs } from '#account/session.ts'
import type { EnvironmentName } from '#contract/me.ts'

/** `baseUrl` ends with the version segment. */
type SessionCookieDeps = { environment: EnvironmentName; baseUrl: string }

const cookieNames = {
  production: { session: 'aglet_session', device: 'aglet_device' },
  sandbox: { session: 'aglet_sandbox_session', device: 'aglet_sandbox_device' },
} as const

/** The cookies of a request whose names occur once, as `name=value`. */
export function singleCookies({ cookie = '' }: IncomingHttpHeaders): string[] {
  const pairs = cookie.split(';').map((pair) => pair.trim())
  const byName = Map.groupBy(pairs, (pair) => pair.split('=', 1)[0])
  return [...byName.values()].flatMap((each) => (each.length === 1 ? each : []))
}

const readOne = (headers: IncomingHttpHeaders, name: string): string | undefined =>
  singleCookies(headers)
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1)

/**
 * The browser sends the cookie only to paths of its environment (`Path`), not with requests from other sites except
 * links (`SameSite=Lax`), and hides it from scripts (`HttpOnly`).
 */
export function openSessionCookie({ environment, baseUrl }: SessionCookieDeps) {
  const { origin, pathname, protocol } = new URL(baseUrl)
  const { session, device } = cookieNames[environment]
  const secure = protocol === 'https:' ? '; Secure' : ''
  return {
    /**
     * Whether a request comes from a page of this origin. Only such a page can send the header `Aglet-Session` to this
     * origin, because there is no CORS; the browser itself sets `Sec-Fetch-Site` (absent over plain http) and, for every
     * method but GET, `Origin`. A request with `Authorization` never counts.
     */
    isOwnPage: (method: string, headers: IncomingHttpHeaders) =>
      headers['aglet-session'] === '1' &&
      headers.authorization === undefined &&
      (headers['sec-fetch-site'] === undefined || headers['sec-fetch-site'] === 'same-origin') &&
      (method === 'GET' || headers.origin === origin),
    /** The session secret of the cookie. Two cookies of the same name are ignored: another host of the domain may have set one. */
    read: (headers: IncomingHttpHeaders) => readOne(headers, session),
    /** The header `Set-Cookie`. An empty secret with a life of 0 deletes the cookie. */
    format: (secret: string, lifeMs: number) =>
      `${session}=${secret}; Path=${pathname}; Max-Age=${lifeMs / 1000}; HttpOnly; SameSite=Lax${secure}`,
    /** The browser's proof of the people who have signed in there (account/knownDevice.ts). */
    readDevice: (headers: IncomingHttpHeaders) => readOne(headers, device),
    formatDevice: (text: string) =>
      `${device}=${text}; Path=${pathname}; Max-Age=${deviceLifeMs / 1000}; HttpOnly; SameSite=Strict${secure}`,
  }
}

export type SessionCookie = ReturnType<typeof openSessionCookie>
