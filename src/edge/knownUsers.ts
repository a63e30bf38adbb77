import type { EventUsers } from '#event/ingest.ts'
import type { ParsedBody } from '#event/parseBody.ts'
import { findNamedUser, readCustomerId } from '#user/customer.ts'
import { readEmail } from '#user/profile.ts'
import type { EdgeCall } from './edge.ts'

/** For each event of a body, the id of the known user; undefined where there is none. */
export type KnownUserIds = readonly (string | undefined)[]

/**
 * The users whom the customer ids and the e-mails of the events name to a trusted caller. Only such a caller without a
 * user id is told; the delivery worker finds the same users. Resolves to undefined for any other call, and where the
 * look-up fails: the event is accepted all the same.
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

/** Without a customer id the users of a body are looked up at once. */
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
