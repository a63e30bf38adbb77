import type { EventUsers } from '#event/ingest.ts'
import type { ParsedBody } from '#event/parseBody.ts'
import { readEmail } from '#user/profile.ts'
import type { EdgeCall } from './edge.ts'

/** For each event of a body, the id of the known user; undefined where there is none. */
export type KnownUserIds = readonly (string | undefined)[]

/**
 * The users whom the e-mails of the events name: those for whom a trusted call gave the e-mail first. Only a trusted
 * caller without a user id is told; the delivery worker finds the same users. Resolves to undefined for any other call,
 * and where the look-up fails: the event is accepted all the same. The users of a body are looked up at once.
 */
export function findKnownUsers(
  { edge, tag, trusted }: EdgeCall,
  { events }: ParsedBody,
  { hasExplicitUserId }: EventUsers,
): Promise<KnownUserIds | undefined> | undefined {
  if (!trusted || hasExplicitUserId) return undefined
  const { profiles } = edge.deps
  const emails = events.map(({ event }) => event && readEmail(event))
  const distinct = [...new Set(emails)].filter((email) => email !== undefined)
  if (distinct.length === 0) return undefined
  const keys = distinct.map((email) => profiles.emailKey(tag, email))
  return profiles
    .ownerIdsOf(tag, keys)
    .then((owners) => {
      const ownerOf = new Map(distinct.map((email, n) => [email, owners[n]]))
      return emails.map((email) => (email === undefined ? undefined : ownerOf.get(email)))
    })
    .catch(() => undefined)
}
