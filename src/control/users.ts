import type { TeamAccess } from '#account/teamAccess.ts'
import { customerIdOf } from '#contract/customerId.ts'
import { badRequest, Fault, fault } from '#contract/fault.ts'
import type { FoundUsers, UserSearch } from '#contract/userRecord.ts'
import { erasedUserId, purgeEvents } from '#event/eraseEvents.ts'
import type { RecordEvent } from '#event/record.ts'
import { erasePreviewEvents } from '#journal/previewLog.ts'
import { defined } from '#kit/defined.ts'
import type { JournalQueries } from '#store/journalQueries.ts'
import type { EventRef, TagRecord } from '#store/store.ts'
import { noCaptureRules } from '#user/captureRules.ts'
import { findCustomer } from '#user/customer.ts'
import { noUserFacts, readUserFacts, type UserFacts } from '#user/profile.ts'
import { maxFound } from '#user/profiles.ts'
import { carriedConsent } from './carriedConsent.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { erasePayloads, findPayloads } from './erasePayloads.ts'
import { createRunEraser } from './eraseRuns.ts'
import { readEventsAt, toEventRows } from './events.ts'
import { eraseExchangeParts, eraseExchanges } from './exchanges.ts'
import { toPageRequest } from './pagination.ts'
import { saveChange } from './saveChange.ts'
import { reserveSearch } from './searchSlots.ts'
import { requireTag } from './tags.ts'

type FoundUser = FoundUsers['users'][number]

/** The stored users of an e-mail: first those who confirmed it, then those who claim it, most recently seen first. */
async function storedUsers(deps: ControlDeps, tag: TagRecord, email: string) {
  const { confirmed, claimants, isCrowded } = await deps.profiles.byEmail(tag, deps.profiles.emailKey(tag, email))
  const rows = claimants.slice(0, maxFound).map(({ userId, profile: { seenAt } }): FoundUser => ({ userId, seenAt }))
  const first = confirmed && { userId: confirmed.userId, seenAt: confirmed.profile.seenAt, isConfirmed: true }
  return { users: [...(first ? [first] : []), ...rows], isCrowded }
}

/** One search reads at most this many pages of this many events. */
const maxPages = 5
const eventsPerPage = 200

/** The users of events with an e-mail, newest first, and the cursor of the next search. */
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

/** Finds the users of an e-mail in stored profiles and in events, or the users with a custom value. */
async function searchUsers(
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

type UserPath = { tagId: string; userId: string }

type ListEventsOfUser = Pick<JournalQueries, 'eventsOf'>['eventsOf']

/** The profile of a user, and a page of its events. Throws tagUnknown, userUnknown. */
async function loadUser(
  deps: ControlDeps,
  access: TeamAccess,
  { tagId, userId }: UserPath,
  { page, eventsOf }: { page: Parameters<typeof toPageRequest>[0]; eventsOf: ListEventsOfUser },
) {
  const tag = await requireTag(deps, access, tagId)
  if (userId === erasedUserId) throw fault('userUnknown')
  const profile = await deps.profiles.get({ tag, userId })
  const { rows, next } = await eventsOf(tagId, userId, toPageRequest(page))
  const isKnown = profile || rows.length > 0 || (await deps.store.journal.joins(tagId, userId, 1)).length > 0
  if (!isKnown && !page.cursor) throw fault('userUnknown')
  return { tag, profile, rows, next }
}

export const readUser: AnswerFor<'readUser'> = async ({ params, query, ...who }, deps) => {
  using _search = reserveSearch(deps, who.access.teamId)
  const { eventsOf } = deps.store.queries(who.access.teamId)
  const { tag, profile, rows, next } = await loadUser(deps, who.access, params, { page: query, eventsOf })
  const { tagId, userId } = params
  await saveChange(deps, who, { what: 'readUser', object: userId, after: { tagId }, rows: [] })
  const {
    claims: _,
    confirmed: __,
    customerKey: ___,
    customerEmails: ____,
    erasedAt: _____,
    ...profileFields
  } = profile ?? {}
  const events = await toEventRows(deps, tag, rows, (recordEvent) => {
    const carried = carriedConsent(recordEvent, deps.brand)
    return carried ? { consent: carried } : {}
  })
  return { userId, ...profileFields, events, ...(next !== undefined && { next }) }
}

export const findUser: AnswerFor<'findUser'> = async ({ params: { tagId }, body, ...who }, deps) => {
  const tag = await requireTag(deps, who.access, tagId)
  using _search = reserveSearch(deps, who.access.teamId)
  const found = await searchUsers(deps, tag, body)
  const after = { by: body.email ? 'email' : body.key, users: found.users.map(({ userId }) => userId) }
  await saveChange(deps, who, { what: 'findUser', object: tagId, after, rows: [] })
  return found
}

/**
 * First erases the profile and cancels waiting deliveries, so that nothing more is sent or stored. Then erases the events
 * in the stream, and last in the journal, so that a repeated call can find and erase what a crash left.
 */
export const eraseUser: AnswerFor<'eraseUser'> = async ({ params, ...who }, deps) => {
  const { tagId, userId } = params
  const owner = await requireTag(deps, who.access, tagId)
  // Visitors of previews or webhook calls may exist only there.
  await deps.store.write([erasePreviewEvents(tagId, userId)])
  await createRunEraser(deps, owner)({ userId, ...noUserFacts, captured: {} })
  const hadPayload = await erasePayloads(deps, owner, { userId })
  const { eventsOf } = deps.store.journal // without a search slot: no limit may refuse an erasure
  const { tag, profile } = await loadUser(deps, who.access, params, { page: { limit: 1 }, eventsOf }).catch((error) => {
    if (hadPayload && error instanceof Fault) return { tag: owner, profile: undefined }
    throw error
  })
  const person = { userId, ...(profile ?? noUserFacts), captured: profile?.captured ?? {} }
  await createRunEraser(deps, tag)(person)
  await erasePayloads(deps, tag, payloadPerson(userId, person.keys))
  const erase = { erase: 'user', tagId, userId, at: deps.clock.now() } as const
  await deps.profiles.forget({ tag, userId }, async () => {
    await saveChange(deps, who, { what: 'eraseUser', object: userId, before: { tagId }, rows: [erase] })
  })
  // again: finds calls that ended during the erasure; later ones store no texts
  const eraseRunsOf = createRunEraser(deps, tag)
  await eraseRunsOf(person)
  for (let count = await eraseJoins(deps, tag, userId); count > 0; count = await eraseJoins(deps, tag, userId));
  let events = 0
  for (
    let count = await eraseEventBatch(deps, tag, userId, eraseRunsOf);
    count > 0;
    count = await eraseEventBatch(deps, tag, userId, eraseRunsOf)
  )
    events += count
  await deps.store.purge?.()
  return { userId, events }
}

const payloadPerson = (userId: string, { email, customerId, phone }: UserFacts['keys']) => ({
  userId,
  ...defined({ email, customerId, phone }),
})

const eventsPerErase = 200

type EraseRunsOf = ReturnType<typeof createRunEraser>

/** Erases the webhook calls that made these events, or that name the people in these events. */
async function eraseRuns(
  deps: ControlDeps,
  tag: TagRecord,
  events: readonly RecordEvent[],
  eraseRunsOf: EraseRunsOf,
): Promise<void> {
  const { tagId, teamId } = tag
  const own = events.filter(({ isErased }) => !isErased)
  for (const { event, context, userId } of own) {
    const facts = readUserFacts(event, noCaptureRules, context.kind)
    await eraseRunsOf({ userId, ...facts, captured: {} })
    await erasePayloads(deps, tag, payloadPerson(userId, facts.keys))
  }
  if (own.length === 0) return
  const keys = own.map(({ event }) => deps.keys.team(teamId).eventKey(tagId, event.eventId, true))
  await deps.store.write([{ erase: 'runs', tagId, keys }])
}

/**
 * Erases one page of attempts that sent this user's click ids and cookies with another user's events, because both
 * share an e-mail: the reference to this user and the recorded exchanges. The other users' events stay. Returns the
 * count.
 */
async function eraseJoins(deps: ControlDeps, tag: TagRecord, userId: string): Promise<number> {
  const joins = await deps.store.journal.joins(tag.tagId, userId, eventsPerErase)
  await eraseExchangeParts(
    deps,
    tag,
    joins.flatMap(({ bodies }) => bodies ?? []),
  )
  if (joins.length > 0) await deps.store.write([{ erase: 'joins', joins }])
  return joins.length
}

/** Erases one page of a user's events, and returns their number. */
async function eraseEventBatch(
  deps: ControlDeps,
  tag: TagRecord,
  userId: string,
  eraseRunsOf: EraseRunsOf,
): Promise<number> {
  const { rows } = await deps.store.journal.eventsOf(tag.tagId, userId, { limit: eventsPerErase })
  const indexesAt = Map.groupBy(rows, (row) => row.position)
  const named: RecordEvent[] = []
  for (const [position, events] of indexesAt) {
    const recorded = await readEventsAt(deps, tag, position)
    named.push(...events.flatMap(({ index }) => recorded[index] ?? []))
  }
  await eraseRuns(deps, tag, named, eraseRunsOf)
  for (const [position, events] of indexesAt) {
    const indexes = events.map(({ index }) => index)
    await deps.stream.rewrite(position, (payload) => purgeEvents(payload, tag, { userId, indexes }, deps.keys))
  }
  const events: EventRef[] = rows.map(({ tagId, position, index }) => ({ tagId, position, index }))
  await eraseExchanges(deps, tag, events)
  if (events.length > 0) await deps.store.write([{ erase: 'events', events }])
  return events.length
}
