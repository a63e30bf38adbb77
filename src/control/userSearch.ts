import { customerIdOf } from '#contract/customerId.ts'
import { badRequest } from '#contract/fault.ts'
import type { FoundUsers, UserSearch } from '#contract/userRecord.ts'
import { erasedUserId } from '#event/eraseEvents.ts'
import type { TagRecord } from '#store/store.ts'
import { noCaptureRules } from '#user/captureRules.ts'
import { findCustomer } from '#user/customer.ts'
import { readUserFacts } from '#user/profile.ts'
import { maxFound } from '#user/profiles.ts'
import type { ControlDeps } from './controlDeps.ts'
import { findPayloads } from './erasePayloads.ts'
import { toEventRows } from './events.ts'

type FoundUser = FoundUsers['users'][number]

/** The stored users of an e-mail: the confirmed one first, then those who claim it, the last seen first. */
async function storedUsers(deps: ControlDeps, tag: TagRecord, email: string) {
  const { confirmed, claimants, isCrowded } = await deps.profiles.byEmail(tag, deps.profiles.emailKey(tag, email))
  const rows = claimants.slice(0, maxFound).map(({ userId, profile: { seenAt } }): FoundUser => ({ userId, seenAt }))
  const first = confirmed && { userId: confirmed.userId, seenAt: confirmed.profile.seenAt, isConfirmed: true }
  return { users: [...(first ? [first] : []), ...rows], isCrowded }
}

/** The events that one search looks at: so many pages of so many. */
const maxPages = 5
const eventsPerPage = 200

/** The users of events that carry an e-mail, newest first, and where the next search goes on. */
async function usersInEvents(deps: ControlDeps, tag: TagRecord, email: string, from: string | undefined) {
  const { tagId, teamId } = tag
  const wanted = deps.profiles.emailKey(tag, email)
  const found = new Map<string, FoundUser>()
  let [cursor, oldest]: [string | undefined, number | undefined] = [from, undefined]
  for (let page = 0; page < maxPages; page++) {
    const request = { limit: eventsPerPage, ...(cursor !== undefined && { cursor }) }
    const { rows, next } = await deps.store.queries(teamId).events(tagId, {}, request)
    const events = await toEventRows(deps, tag, rows, ({ event, context }) => {
      const { email: carried } = readUserFacts(event, noCaptureRules, context.kind).keys
      return { isOfPerson: carried !== undefined && deps.profiles.emailKey(tag, carried) === wanted }
    })
    for (const { isOfPerson, userId, receivedAt } of events)
      if (isOfPerson && userId !== erasedUserId && !found.has(userId) && found.size < maxFound)
        found.set(userId, { userId, seenAt: receivedAt, isFromEvent: true })
    oldest = rows.at(-1)?.receivedAt ?? oldest
    cursor = next
    if (cursor === undefined) return { users: [...found.values()] }
  }
  return { users: [...found.values()], next: cursor!, ...(oldest !== undefined && { eventsFrom: oldest }) }
}

/** Finds the users of an e-mail in what is stored and in what events carry, or those with a value of custom data. */
export async function searchUsers(
  deps: ControlDeps,
  tag: TagRecord,
  { email, key, value, cursor }: UserSearch,
): Promise<FoundUsers> {
  if (email) {
    const { users, isCrowded } = await storedUsers(deps, tag, email)
    const known = new Set(users.map(({ userId }) => userId))
    const { users: others, ...rest } = await usersInEvents(deps, tag, email, cursor ?? undefined)
    const added = others.filter(({ userId }) => !known.has(userId))
    if (cursor)
      return { users: added, ...(isCrowded && { isCrowded }), searched: ['users', 'claims', 'events'], ...rest }
    for (const { userId } of added) known.add(userId)
    const ofOrders = (await findPayloads(deps, tag, { email }))
      .map(({ at, payload }): FoundUser => ({ userId: payload.ownId, seenAt: at, isFromOrder: true }))
      .filter(({ userId }) => !known.has(userId))
    const all = [...users, ...added, ...ofOrders]
    return { users: all, ...(isCrowded && { isCrowded }), searched: ['users', 'claims', 'events'], ...rest }
  }
  if (!key || value === undefined) throw badRequest({ path: 'email', message: 'is required without key and value' })
  const users = (await deps.profiles.byCustom(tag, key, value)).map((userId) => ({ userId }))
  const customerId = key === 'customerId' ? customerIdOf(value) : undefined
  const at = deps.clock.now()
  const isShared = customerId !== undefined && (await findCustomer(tag, { customerId, at }, deps)).isShared
  const isCrowded = users.length >= maxFound
  return { users, ...(isCrowded && { isCrowded }), ...(isShared && { isShared }), searched: ['customData'] }
}
