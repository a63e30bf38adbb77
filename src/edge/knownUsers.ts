import type { EventUsers } from '#event/ingest.ts'
import type { ParsedBody } from '#event/parseBody.ts'
import { noCaptureRules } from '#user/captureRules.ts'
import { readUserFacts } from '#user/profile.ts'
import type { EdgeCall } from './edge.ts'

/** For each event of a body, the id of the known user; undefined where there is none. */
export type KnownUserIds = readonly (string | undefined)[]

/**
 * The users whom the e-mails of the events name: those for whom a trusted call gave the e-mail first. Only a trusted
 * caller without a user id is told; the delivery worker finds the same users. Resolves to undefined for any other call,
 * and where the look-up fails: the event is accepted all the same.
 */
export function findKnownUsers(
  { edge, tag, trusted }: EdgeCall,
  { events }: ParsedBody,
  { hasExplicitUserId }: EventUsers,
): Promise<KnownUserIds | undefined> | undefined {
  if (!trusted || hasExplicitUserId) return undefined
  const { people } = edge.deps
  const keys = events.map(({ event }) => {
    const email = event && readUserFacts(event, noCaptureRules).keys.email
    return email === undefined ? undefined : people.emailKey(tag, email)
  })
  const owners = new Map(
    [...new Set(keys)].map((key) => [key, key === undefined ? undefined : people.ownerOf(tag, key)]),
  )
  return Promise.all(keys.map(async (key) => (await owners.get(key))?.userId)).catch(() => undefined)
}
