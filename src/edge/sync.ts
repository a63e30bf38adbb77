import { badRequest } from '#contract/fault.ts'
import type { ReadBody } from '#event/read.ts'
import { noCaptures } from '#user/capture.ts'
import { saidIn } from '#user/profile.ts'
import type { Call } from './edge.ts'
import type { People } from './people.ts'
import type { Foretold } from './tell.ts'

/**
 * `?sync=true`: the caller waits for what becomes of its one event. Throws badRequest for several. What becomes of one with
 * an e-mail depends on whom the e-mail finds, and that is told to a trusted caller alone: nobody else waits.
 */
export function asksToWait({ query, trusted }: Call, { isArray, events: [only] }: ReadBody): boolean {
  if (!query.includes('sync=') || new URLSearchParams(query).get('sync') !== 'true') return false
  if (isArray) throw badRequest({ path: '', message: 'must be one event: ?sync=true waits for no more' })
  return trusted || !only?.event || saidIn(only.event, noCaptures).keys.email === undefined
}

/**
 * How the deliveries of the one event stand. An untrusted caller is told only of an event that this request added: of a
 * repeat the first may be somebody else's. Nothing for a user who gave an e-mail before, as for an event that has one.
 */
export async function settled(
  { edge: { on }, tag, trusted }: Call,
  people: People,
  { results: [only] }: Foretold,
  fresh: readonly boolean[],
) {
  if (!only || (!trusted && fresh[0] !== true)) return undefined
  const deliveries = await on.settled(tag, only.eventId, trusted)
  if (trusted || !people.presented) return deliveries
  const own = await on.people.get({ tag, userId: people.userId })
  return own?.keys.email === undefined ? deliveries : undefined
}
