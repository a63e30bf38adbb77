import type { EventUsers } from '#event/ingest.ts'
import type { ParsedBody } from '#event/parseBody.ts'
import { findNamedUser, readCustomerId } from '#user/customer.ts'
import { readEmail } from '#user/profile.ts'
import type { EdgeCall } from './edge.ts'

/** For each event of a body, the id of the known user; undefined if there is none. */
export type KnownUserIds = readonly (string | undefined)[]

/**
 * The users whom the events' customer ids and e-mails identify. Only a trusted caller without a user id gets them; the
 * delivery worker finds the same users. Resolves to undefined for any other call, and if the look-up fails: the event
 * is accepted anyway.
 */
export function findKnownUsers(
  call: EdgeCall,
  { events }: ParsedBody,
  { hasExplicitUserId }: EventUsers,
): Promise<KnownUserIds | undefined> | undefined {
  if (!call.trusted || hasExplicitUserId) return undefined
  const names = events.map(({ event }) => ({
    email: event && readEmail(event),
    customerId: event && readCustomerId(event),
  }))
  if (names.every(({ email, customerId }) => email === undefined && customerId === undefined)) return undefined
  return lookUp(call, names).catch(() => undefined)
}

type EventNames = { email: string | undefined; customerId: string | undefined }

/** Looks up the events without a customer id in one batch. */
async function lookUp({ edge, tag }: EdgeCall, names: readonly EventNames[]): Promise<KnownUserIds> {
  const { clock, keys, profiles } = edge.deps
  const byEmail = names.map(({ email, customerId }) => (customerId === undefined ? email : undefined))
  const emails = [...new Set(byEmail)].filter((email) => email !== undefined)
  const owners = await profiles.ownerIdsOf(
    tag,
    emails.map((email) => profiles.emailKey(tag, email)),
  )
  const ownerOf = new Map(emails.map((email, n) => [email, owners[n]]))
  const at = clock.now()
  return Promise.all(
    names.map(async (each) => {
      if (each.customerId === undefined) return each.email === undefined ? undefined : ownerOf.get(each.email)
      return (await findNamedUser(tag, each, at, { keys, profiles }))?.userId
    }),
  )
}
