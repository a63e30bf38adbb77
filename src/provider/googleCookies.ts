import { hash } from 'node:crypto'
import type { Normalise } from './normalise.ts'
import type { Captured } from './provider.ts'

/** The client of Google Analytics: `GA1.1.<a>.<b>` → `<a>.<b>` */
export const gaClient = ({ _ga }: Captured) => _ga && /(?<!\d)(\d+\.\d+)$/.exec(_ga.value)?.[1]

/** A client for a person without the cookie: always the same for the same user id. */
export const derivedClient: Normalise = (userId) => {
  const digest = hash('sha256', userId, 'buffer')
  return `${digest.readUInt32BE(0)}.${digest.readUInt32BE(4)}`
}

/** The session of a measurement id: `GS1.1.<session>.…` and `GS2.1.s<session>$o…` → `<session>` */
export function gaSession(captured: Captured, measurementId: string): string | undefined {
  const cookie = captured[`_ga_${measurementId.replace(/^G-/, '')}`]?.value ?? ''
  return /^GS\d+\.\d+\.(?:s?)(\d+)(?=[.$]|$)/.exec(cookie)?.[1]
}

/** `GCL.<seconds>.<id>` and `2.1.k<id>$i<seconds>` → the id; what is neither is one. */
const idIn = (cookie: string | undefined) =>
  cookie && (/^GCL\.\d+\.(.+)$/.exec(cookie)?.[1] ?? /^\d+\.\d+\.k([^$]+)/.exec(cookie)?.[1] ?? cookie)

/** What `adClick` reads. */
export const adCaptures = [
  { query: 'gclid', cookie: '_gcl_aw' },
  { query: 'gbraid', cookie: '_gcl_ag' },
  { query: 'wbraid', cookie: '_gcl_gb' },
] as const
export const adClicks = [
  'captured.gclid',
  'captured._gcl_aw',
  'captured.gbraid',
  'captured._gcl_ag',
  'captured.wbraid',
  'captured._gcl_gb',
] as const

/** The click on an ad under its name, by the first of gclid, gbraid and wbraid: Google takes no two together. */
export function adClick(captured: Captured): { [name: string]: string } | undefined {
  for (const { query, cookie } of adCaptures) {
    const id = captured[query]?.value ?? idIn(captured[cookie]?.value)
    if (id) return { [query]: id }
  }
  return undefined
}
