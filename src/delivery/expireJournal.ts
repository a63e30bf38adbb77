import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { RetentionCutoffs } from '#store/deliveryQueries.ts'
import type { Journal, Store } from '#store/store.ts'

type ExpireJournalDeps = {
  clock: Pick<Clock, 'wait'>
  log: Log
  store: Pick<Store, 'tag'> & { journal: Pick<Journal, 'nextKeptTag' | 'dropExpired'> }
}

/** A tag of which something may have expired, and where its next slice begins. */
type Expiring = { tagId: string; after?: string }

/** The slices that a team has in a round, and the tags that begin in one. */
const slicesPerRound = 4
const tagsPerRound = 1_000
/** The pause after each slice, for other writers. */
const restMs = 5

/**
 * Drops what has expired of the journal, in rounds: in each a team has some slices, which its tags take in turns. So a team
 * with many rows delays another team by these slices only. What belongs to no team, and to many tags, has turns like a team.
 */
export async function expireJournal(
  { clock, log, store }: ExpireJournalDeps,
  cutoffs: RetentionCutoffs,
  signal: AbortSignal,
): Promise<void> {
  const teams = new Map<string, Expiring[]>([['', [{ tagId: '' }]]])
  let last: string | undefined = ''

  async function beginTags(): Promise<void> {
    for (let n = 0; n < tagsPerRound && last !== undefined && !signal.aborted; n++) {
      last = await store.journal.nextKeptTag(last)
      if (last === undefined) return
      const teamId = (await store.tag(last))?.teamId ?? ''
      const tags = teams.get(teamId)
      if (tags) tags.push({ tagId: last })
      else teams.set(teamId, [{ tagId: last }])
    }
  }
  async function runTurn(tags: Expiring[]): Promise<void> {
    for (let n = 0; n < slicesPerRound && tags.length > 0 && !signal.aborted; n++) {
      const { tagId, after } = tags.shift()!
      const { next } = await store.journal.dropExpired(cutoffs, tagId, after)
      if (next !== undefined) tags.push({ tagId, after: next })
      await clock.wait(restMs, signal)
    }
  }
  while ((last !== undefined || teams.size > 0) && !signal.aborted) {
    await beginTags()
    for (const [teamId, tags] of teams) {
      await runTurn(tags).catch((error) => {
        log({ level: 'error', message: 'could not drop old rows of the journal', teamId, error })
        tags.length = 0 // the next pass begins again
      })
      if (tags.length === 0) teams.delete(teamId)
    }
  }
}
