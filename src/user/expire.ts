import type { Clock } from '#kit/clock.ts'
import type { Change, Store } from '#store/store.ts'

const dayMs = 86_400_000
/** As long as the cookie lives that names them. */
export const unseenMs = 400 * dayMs
/** A day longer than an event can be old that is still to be planned. */
const graveMs = 8 * dayMs
const atOnce = 500

type ExpireWorld = {
  clock: Pick<Clock, 'now'>
  store: Pick<Store, 'tag' | 'write'> & { users: Pick<Store['users'], 'unseen' | 'uncrowd'> }
}

/**
 * Drops the users who were not seen for 400 days, with a line in the audit of each tag, and what remembers erased ones. An
 * e-mail that was crowded and not claimed for as long is crowded no more.
 */
export async function expireUsers(on: ExpireWorld): Promise<void> {
  const at = on.clock.now()
  const before = { seenBefore: at - unseenMs, erasedBefore: at - graveMs }
  for (;;) {
    const users = await on.store.users.unseen(before, atOnce)
    if (users.length === 0) return on.store.users.uncrowd(before.seenBefore)
    const changes = users.map((user): Change => ({ drop: 'user', ...user }))
    const expired = users.filter(({ seenAt }) => seenAt < before.seenBefore)
    for (const [tagId, ofTag] of Map.groupBy(expired, (user) => user.tagId)) {
      const teamId = (await on.store.tag(tagId))?.teamId
      const row = { at, by: 'retention', what: 'expireUsers', object: tagId, before: { users: ofTag.length } }
      changes.push({ add: 'audit', row: { ...row, ...(teamId && { teamId }) } })
    }
    await on.store.write(changes)
  }
}
