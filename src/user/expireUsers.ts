import type { Clock } from '#kit/clock.ts'
import type { Store, StoreChange } from '#store/store.ts'

const dayMs = 86_400_000
/** The time without a visit after which a user is deleted. It equals the lifetime of the user cookie. */
const userLifeMs = 400 * dayMs
/** One day more than the maximum age of an event that may still be planned. */
const erasureMarkMs = 8 * dayMs
const batchSize = 500
/** The pause after each batch, for other writers. */
const restMs = 5

type ExpireDeps = {
  clock: Pick<Clock, 'now' | 'wait'>
  store: Pick<Store, 'tag' | 'write'> & { users: Pick<Store['users'], 'unseen' | 'uncrowd'> }
}

/**
 * Deletes the users who were not seen for 400 days, with an audit entry for each tag, and the erasure marks that are
 * older than 8 days, the oldest first. Also resets the crowded e-mails that nobody has claimed for 400 days.
 */
export async function expireUsers(deps: ExpireDeps, signal: AbortSignal): Promise<void> {
  const at = deps.clock.now()
  const before = { seenBefore: at - userLifeMs, erasedBefore: at - erasureMarkMs }
  while (!signal.aborted) {
    const users = await deps.store.users.unseen(before, batchSize)
    if (users.length === 0) return deps.store.users.uncrowd(before.seenBefore)
    const changes = users.map((user): StoreChange => ({ drop: 'user', ...user }))
    const expired = users.filter(({ seenAt }) => seenAt < before.seenBefore)
    for (const [tagId, ofTag] of Map.groupBy(expired, (user) => user.tagId)) {
      const teamId = (await deps.store.tag(tagId))?.teamId
      const row = { at, by: 'retention', what: 'expireUsers', object: tagId, before: { users: ofTag.length } }
      changes.push({ add: 'audit', row: { ...row, ...(teamId && { teamId }) } })
    }
    await deps.store.write(changes)
    await deps.clock.wait(restMs, signal)
  }
}
