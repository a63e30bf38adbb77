import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import { runRounds } from '#kit/rounds.ts'
import type { Store, StoreChange } from '#store/store.ts'

const dayMs = 86_400_000
/** The time without a visit after which a user is deleted. Equals the lifetime of the user cookie. */
const userLifeMs = 400 * dayMs
/** One day more than the maximum age of an event that can still be planned. */
const erasureMarkMs = 8 * dayMs
const usersPerSlice = 500
const restMs = 5

type ExpireDeps = {
  clock: Pick<Clock, 'now' | 'wait'>
  log: Log
  store: Pick<Store, 'tag' | 'write'> & { users: Pick<Store['users'], 'nextTag' | 'unseen' | 'deleteCrowded'> }
}

/**
 * Deletes users who were not seen for 400 days, with one audit entry per slice of a tag, and erasure marks older than 8
 * days, in turns of the teams. Also resets crowded e-mails that nobody has claimed for 400 days.
 */
export async function expireUsers({ clock, log, store }: ExpireDeps, signal: AbortSignal): Promise<void> {
  const at = clock.now()
  const before = { seenBefore: at - userLifeMs, erasedBefore: at - erasureMarkMs }
  const teamOf = async (tagId: string) => (await store.tag(tagId))?.teamId

  async function runSlice(tagId: string): Promise<string | undefined> {
    const users = await store.users.unseen(tagId, before, usersPerSlice)
    if (users.length === 0) return undefined
    const changes = users.map((user): StoreChange => ({ drop: 'user', ...user }))
    const expired = users.filter(({ seenAt }) => seenAt < before.seenBefore).length
    const teamId = await teamOf(tagId)
    const row = { at, by: 'retention', what: 'expireUsers', object: tagId, before: { users: expired } }
    if (expired > 0) changes.push({ add: 'audit', row: { ...row, ...(teamId && { teamId }) } })
    await store.write(changes)
    return users.length < usersPerSlice ? undefined : 'more'
  }
  await runRounds(
    {
      async next(after) {
        const id = await store.users.nextTag(after)
        return id === undefined ? undefined : { id, group: (await teamOf(id)) ?? '' }
      },
      runSlice,
      rest: () => clock.wait(restMs, signal),
      failed: (teamId, error) => log({ level: 'error', message: 'could not drop inactive users', teamId, error }),
    },
    signal,
  )
  if (!signal.aborted) await store.users.deleteCrowded(before.seenBefore)
}
