import { limitReached } from '#contract/limitReached.ts'
import { turns } from '#kit/turns.ts'
import type { ControlWorld } from './world.ts'

/** A search of the team among those that it may have under way, until it is disposed of. Throws tooManyQueries. */
export function takeSearch({ querySeats, limits }: ControlWorld, teamId: string): Disposable {
  const seat = querySeats.take(teamId)
  if (!seat) throw limitReached('tooManyQueries', limits.queriesPerTeam, { afterMs: 1_000 })
  return seat
}

const inTurn = turns()
/** After its turn a team rests for so many times as long as it took, but not for longer than this. */
const restPerTurn = 4
const mostRestMs = 2_000

/**
 * Bodies of events are opened on the main thread. Those of one team are opened one after the other, whoever asks for them, and
 * take no more than a fifth of the thread's time.
 */
export function openInTurn<T>({ clock }: Pick<ControlWorld, 'clock'>, teamId: string, open: () => Promise<T>) {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  void inTurn(teamId, async () => {
    const begunAt = clock.now()
    await open().then(resolve, reject)
    const restMs = Math.min(mostRestMs, restPerTurn * (clock.now() - begunAt))
    if (restMs > 0) await clock.wait(restMs)
  })
  return promise
}
