import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import { runRounds } from '#kit/rounds.ts'
import type { RetentionCutoffs } from '#store/deliveryQueries.ts'
import type { Journal, Store } from '#store/store.ts'

type ExpireJournalDeps = {
  clock: Pick<Clock, 'wait'>
  log: Log
  store: Pick<Store, 'tag'> & { journal: Pick<Journal, 'nextKeptTag' | 'dropExpired'> }
}

const restMs = 5

/** Drops expired rows of the journal, in turns of teams. Rows that belong to no single team have turns too. */
export const expireJournal = (
  { clock, log, store }: ExpireJournalDeps,
  cutoffs: RetentionCutoffs,
  signal: AbortSignal,
): Promise<void> =>
  runRounds(
    {
      async next(after) {
        const id = await store.journal.nextKeptTag(after)
        return id === undefined ? undefined : { id, group: (await store.tag(id))?.teamId ?? '' }
      },
      runSlice: async (tagId, after) => (await store.journal.dropExpired(cutoffs, tagId, after)).next,
      rest: () => clock.wait(restMs, signal),
      // The next pass starts over.
      failed: (teamId, error) =>
        log({ level: 'error', message: 'could not drop old rows of the journal', teamId, error }),
    },
    signal,
    [''],
  )
