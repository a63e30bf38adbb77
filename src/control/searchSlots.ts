import { limitReached } from '#contract/limitReached.ts'
import { keyedMutex } from '#kit/keyedMutex.ts'
import type { ControlDeps } from './controlDeps.ts'

/** Takes one of the team's search slots, until it is disposed of. Throws tooManyQueries. */
export function reserveSearch({ querySlots, limits }: ControlDeps, teamId: string): Disposable {
  const slot = querySlots.take(teamId)
  if (!slot) throw limitReached('tooManyQueries', limits.queriesPerTeam, { afterMs: 1_000 })
  return slot
}

const withLock = keyedMutex()
/** After a task, the next one of the team waits 4 times as long as the task took, but at most `maxRestMs`. */
const restPerTask = 4
const maxRestMs = 2_000

/**
 * Batches of events are decrypted on the main thread. The tasks of a team run one at a time and take at most a fifth of
 * the thread's time.
 */
export function runFairly<T>({ clock }: Pick<ControlDeps, 'clock'>, teamId: string, open: () => Promise<T>) {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  void withLock(teamId, async () => {
    const startedAt = clock.now()
    await open().then(resolve, reject)
    const restMs = Math.min(maxRestMs, restPerTask * (clock.now() - startedAt))
    if (restMs > 0) await clock.wait(restMs)
  })
  return promise
}
