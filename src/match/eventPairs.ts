import { hash as digest } from 'node:crypto'
import type { MatchSource } from '#contract/matchSources.ts'
import { checked } from './findingBits.ts'

/** The data of one event that the browser or the server sent. `email`: as the vendor gets it. */
type PairSide = { source: MatchSource; email?: string | undefined; value?: number | undefined }

/** The number of newest events remembered for a channel: at least this number, and at most twice as many. */
const keptEvents = 5_000

const sha256 = (text: string) => digest('sha256', text)

function compare(one: PairSide, other: PairSide): number {
  const { email } = one
  if (email !== undefined && other.email !== undefined && email !== other.email) {
    const isDouble = sha256(email) === other.email || sha256(other.email) === email
    return checked('pair', 'BROWSER_AND_SERVER_DIFFER') | (isDouble ? checked('person', 'DOUBLE_HASH') : 0)
  }
  const isOtherValue = one.value !== undefined && other.value !== undefined && Math.abs(one.value - other.value) > 0.005
  return checked('pair', isOtherValue ? 'BROWSER_AND_SERVER_DIFFER' : undefined)
}

/**
 * Compares the data that browser and server sent to a channel for one event. Held in memory only. If this many events
 * came from one side alone, nothing more is remembered until the other side sends: most channels have one side.
 */
export function openEventPairs() {
  let first: MatchSource | undefined
  let hasBoth = false
  let newer = new Map<string, PairSide>()
  let older = new Map<string, PairSide>()
  return (eventId: string, side: PairSide): number => {
    first ??= side.source
    if (first !== side.source) hasBoth = true
    if (!hasBoth && newer.size >= keptEvents) return 0
    const known = newer.get(eventId) ?? older.get(eventId)
    if (known !== undefined) return known.source === side.source ? 0 : compare(known, side)
    if (newer.size >= keptEvents) {
      older = newer
      newer = new Map()
    }
    newer.set(eventId, side)
    return 0
  }
}
