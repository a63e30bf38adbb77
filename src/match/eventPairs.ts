import { hash as digest } from 'node:crypto'
import type { MatchSource } from '#contract/matchQuality.ts'
import { checked } from './findingBits.ts'

/** What browser and server say of one event. `email`: its SHA-256 digest. */
export type PairSide = { source: MatchSource; email?: string | undefined; value?: number | undefined }

/** The events of all channels that are remembered. */
const maxEvents = 20_000

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

/** Compares the two sides of one event, as browser and server sent it to one channel. Held in memory alone. */
export function openEventPairs() {
  const sides = new Map<string, PairSide>()
  return (key: string, side: PairSide): number => {
    const known = sides.get(key)
    if (known === undefined) {
      if (sides.size >= maxEvents)
        for (const oldest of sides.keys()) {
          sides.delete(oldest)
          break
        }
      sides.set(key, side)
      return 0
    }
    if (known.source === side.source) return 0
    sides.delete(key)
    return compare(known, side)
  }
}
