import type { RawPerson } from '#provider/form/person.ts'
import type { CapturedValues } from '#provider/form/request.ts'
import type { MatchNotes } from './matchNotes.ts'

/** The values that should differ between visitors. */
export const sharedKinds = ['ip', 'userAgent', 'email', 'customerId', '_fbp'] as const
export type SharedKind = (typeof sharedKinds)[number]

/** Buckets of values. The largest one tells of one value that is shared; the others of chance. */
const buckets = 512
/** A shared value has at least this many of the 32 bits of its visitors. */
const minVisitorBits = 10
/** Below this number of events a share says nothing. */
export const minEvents = 200

function bitsIn(word: number): number {
  let count = 0
  for (let rest = word >>> 0; rest !== 0; rest &= rest - 1) count++
  return count
}

const noBuckets = new Uint32Array(0)

/** Counts the events of each bucket of values, and marks their visitors. The order of events makes no difference. */
class ValueBuckets {
  #events = noBuckets
  #visitors = noBuckets
  #total = 0
  #top = 0
  #told = { total: 0, top: 0 }

  add(value: number, visitor: number): void {
    if (this.#total === 0) {
      this.#events = new Uint32Array(buckets)
      this.#visitors = new Uint32Array(buckets)
    }
    const bucket = value % buckets
    const events = ++this.#events[bucket]!
    const visitors = (this.#visitors[bucket]! | (1 << (visitor & 31))) >>> 0
    this.#visitors[bucket] = visitors
    this.#total++
    if (events > this.#top && bitsIn(visitors) >= minVisitorBits) this.#top = events
  }

  /** What was added since the last call. Of fewer than 200 events nothing is shared. */
  take(): { total: number; top: number } {
    const top = this.#total >= minEvents ? this.#top : 0
    const taken = { total: this.#total - this.#told.total, top: top - this.#told.top }
    this.#told = { total: this.#total, top }
    return taken
  }
}

type SharedEvent = { person: RawPerson; captured: CapturedValues; isFromServer: boolean; notes: MatchNotes }

/** The values of one channel on one day. */
export type SharedValues = {
  add(event: SharedEvent): void
  take(): { kind: SharedKind; total: number; top: number }[]
}

/**
 * Looks for one value on many events of different visitors. Only counts by hashes are held, in memory, whose key lives as
 * long as this object.
 */
export function openSharedValues(kinds: readonly SharedKind[], key: number): SharedValues {
  const counts = kinds.map(() => new ValueBuckets())
  const slots = kinds.map((kind) => 1 + sharedKinds.indexOf(kind))
  return {
    add({ person, captured, isFromServer, notes }) {
      const { userId } = person
      if (userId === undefined) return
      const visitor = notes.hash(0, userId, key)
      for (let n = 0; n < kinds.length; n++) {
        const kind = kinds[n]!
        // many browsers have one user agent
        if (kind === 'userAgent' && !isFromServer) continue
        const value = kind === '_fbp' ? captured._fbp?.value : person[kind]
        if (value) counts[n]!.add(notes.hash(slots[n]!, value, key), visitor)
      }
    },
    take: () =>
      counts.map((each, n) => ({ kind: kinds[n]!, ...each.take() })).filter(({ total, top }) => total > 0 || top > 0),
  }
}
