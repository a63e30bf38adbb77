import type { Access } from '#account/access.ts'
import { fault } from '#contract/fault.ts'
import type { operations } from '#contract/operations.ts'
import { nobody, withoutEvents } from '#event/erase.ts'
import type { Answer } from '#http/bind.ts'
import type { EventRef, TagRecord } from '#store/store.ts'
import { eventRows } from './events.ts'
import { eraseBodies, eraseExchanges } from './exchanges.ts'
import { pageOf } from './page.ts'
import { save } from './save.ts'
import { knownTag } from './tags.ts'
import type { ControlWorld } from './world.ts'

type Of<Id extends 'readUser' | 'eraseUser'> = Answer<(typeof operations)[Id], ControlWorld>
type Asked = { tagId: string; userId: string }

/** What is known of a user, and a page of its events. Throws tagUnknown, userUnknown. */
async function knownUser(
  on: ControlWorld,
  access: Access,
  { tagId, userId }: Asked,
  page: Parameters<typeof pageOf>[0],
) {
  const tag = await knownTag(on, access, tagId)
  if (userId === nobody) throw fault('userUnknown')
  const profile = await on.people.get({ tag, userId })
  const { rows, next } = await on.store.journal.eventsOf(tagId, userId, pageOf(page))
  const isKnown = profile || rows.length > 0 || (await on.store.journal.joins(tagId, userId, 1)).length > 0
  if (!isKnown && !page.cursor) throw fault('userUnknown')
  return { tag, profile, rows, next }
}

export const readUser: Of<'readUser'> = async ({ params, query, ...who }, on) => {
  const { tag, profile, rows, next } = await knownUser(on, who.access, params, query)
  const { tagId, userId } = params
  await save(on, who, { what: 'readUser', object: userId, after: { tagId }, rows: [] })
  const { claims: _, confirmed: __, erasedAt: ___, ...known } = profile ?? {}
  const events = await eventRows(on, tag, rows)
  return { userId, ...known, events, ...(next !== undefined && { next }) }
}

/**
 * First the user is forgotten, and what waits for delivery is dead: from then on nothing of it goes out or is learnt. Then its
 * events are taken out of the stream, and last from the user in the journal, so that what a crash leaves can be found
 * and erased by asking again.
 */
export const eraseUser: Of<'eraseUser'> = async ({ params, ...who }, on) => {
  const { tag } = await knownUser(on, who.access, params, { limit: 1 })
  const { tagId, userId } = params
  const erase = { erase: 'user', tagId, userId, at: on.clock.now() } as const
  await on.people.forget({ tag, userId }, async () => {
    await save(on, who, { what: 'eraseUser', object: userId, before: { tagId }, rows: [erase] })
  })
  for (let some = await eraseJoins(on, tag, userId); some > 0; some = await eraseJoins(on, tag, userId));
  let events = 0
  for (let some = await eraseSome(on, tag, userId); some > 0; some = await eraseSome(on, tag, userId)) events += some
  return { userId, events }
}

const atOnce = 200

/**
 * Takes out of some attempts that this user's click ids and cookies went along with them, and what was sent. The events are
 * of others, whom the user shares an e-mail with, and stay.
 */
async function eraseJoins(on: ControlWorld, tag: TagRecord, userId: string): Promise<number> {
  const joins = await on.store.journal.joins(tag.tagId, userId, atOnce)
  await eraseBodies(
    on,
    tag,
    joins.flatMap(({ bodies }) => bodies ?? []),
  )
  if (joins.length > 0) await on.store.write([{ erase: 'joins', joins }])
  return joins.length
}

/** Erases some events of a user, and says how many. */
async function eraseSome(on: ControlWorld, tag: TagRecord, userId: string): Promise<number> {
  const { rows } = await on.store.journal.eventsOf(tag.tagId, userId, { limit: atOnce })
  for (const [position, events] of Map.groupBy(rows, (row) => row.position)) {
    const indexes = events.map(({ index }) => index)
    await on.stream.rewrite(position, (payload) => withoutEvents(payload, tag, { userId, indexes }, on.keys))
  }
  const events: EventRef[] = rows.map(({ tagId, position, index }) => ({ tagId, position, index }))
  await eraseExchanges(on, tag, events)
  if (events.length > 0) await on.store.write([{ erase: 'events', events }])
  return events.length
}
