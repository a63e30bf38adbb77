import { hash } from 'node:crypto'
import type { Normalise } from '#provider/form/normalise.ts'
import type { CapturedValues, EventSession } from '#provider/form/request.ts'
import { epochSeconds } from '#provider/form/time.ts'

/** The client id of Google Analytics: `GA1.1.<a>.<b>` → `<a>.<b>` */
export function gaClientId({ _ga }: CapturedValues): string | undefined {
  const parts = _ga?.value.split('.').slice(-2) ?? []
  return parts.length === 2 && parts.every((part) => /^\d+$/.test(part)) ? parts.join('.') : undefined
}

/** A client id derived from the user id, for a person without the cookie. */
export const derivedClientId: Normalise = (userId) => {
  const digest = hash('sha256', userId, 'buffer')
  return `${digest.readUInt32BE(0)}.${digest.readUInt32BE(4)}`
}

type GaSessionContext = { captured: CapturedValues; session?: EventSession }

/**
 * The session id of a measurement id: `GS1.1.<session>.…` and `GS2.1.s<session>$o…` → `<session>`. Without the cookie,
 * the session id is the start of our session in seconds, just as Google's id is the start of Google's session.
 */
export function gaSessionId({ captured, session }: GaSessionContext, measurementId: string): string | undefined {
  const cookie = captured[`_ga_${measurementId.replace(/^G-/, '')}`]?.value ?? ''
  const id = /^GS\d+\.\d+\.(?:s?)(\d+)(?=[.$]|$)/.exec(cookie)?.[1]
  return id ?? (session && String(epochSeconds(session.startedAt)))
}

/** `GCL.<seconds>.<id>` and `2.1.k<id>$i<seconds>` → `<id>`. Any other value is the id itself. */
export const clickIdIn = (cookie: string | undefined) =>
  cookie && (/^GCL\.\d+\.(.+)$/.exec(cookie)?.[1] ?? /^\d+\.\d+\.k([^$]+)/.exec(cookie)?.[1] ?? cookie)

/** The query parameters and cookies that `adClick` reads. */
export const adClickCaptures = [
  { query: 'gclid', cookie: '_gcl_aw' },
  { query: 'gbraid', cookie: '_gcl_ag' },
  { query: 'wbraid', cookie: '_gcl_gb' },
] as const
/** The same values, for `requires`. */
export const adClickFields = [
  'captured.gclid',
  'captured._gcl_aw',
  'captured.gbraid',
  'captured._gcl_ag',
  'captured.wbraid',
  'captured._gcl_gb',
] as const

/** The newest of gclid, gbraid and wbraid, under its name: Google accepts only one of them. */
export function adClick(captured: CapturedValues): { [name: string]: string } | undefined {
  const clicks = adClickCaptures.flatMap(({ query, cookie }) => {
    const click = captured[query] ?? captured[cookie]
    const id = captured[query]?.value ?? clickIdIn(click?.value)
    return click && id ? [{ query, id, at: click.at }] : []
  })
  const [newest] = clicks.sort((one, other) => other.at - one.at)
  return newest && { [newest.query]: newest.id }
}
