import { limitReached } from '#contract/limitReached.ts'
import { turns } from '#kit/turns.ts'
import type { ControlWorld } from './world.ts'

/** A search of the team among those that it may have under way, until it is disposed of. Throws tooManyQueries. */
export function takeSearch({ querySeats, limits }: ControlWorld, teamId: string): Disposable {
  const seat = querySeats.take(teamId)
  if (!seat) throw limitReached('tooManyQueries', limits.queriesPerTeam, { afterMs: 1_000 })
  return seat
}

/** Bodies of events are opened on the main thread: those of one team one after the other, whoever asks for them. */
export const openInTurn = turns()
