import type { RawPerson } from '#provider/form/person.ts'
import type { CapturedValues } from '#provider/form/request.ts'
import type { MatchNotes } from './matchNotes.ts'

/** The values that should differ between visitors. */
export const sharedKinds = ['ip', 'userAgent', 'email', 'customerId', '_fbp'] as const
export type SharedKind = (typeof sharedKinds)[number]

/** The number of buckets of values. The count of the largest bucket reveals a shared value; the others are chance. */
const buckets = 512
/** A shared value has at least this many of the 32 bits of its visitors. */
const minVisitorBits = 10
/** With fewer events, a share is not meaningful. */
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
  #taken = { total: 0, top: 0 }

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

  /** The counts since the last call. With fewer than 200 events in total, no value counts as shared. */
  take(): { total: number; top: number } {
    const top = this.#total >= minEvents ? this.#top : 0
    const taken = { total: this.#total - this.#taken.total, top: top - this.#taken.top }
    this.#taken = { total: this.#total, top }
    return taken
  }
}

type SharedEvent = { person: RawPerson; captured: CapturedValues; isFromServer: boolean; notes: MatchNotes }

/**
 * Finds a single value on many events of different visitors. Holds only counts by keyed hash, in memory. The key lives
 * as long as this object.
 */
export function openSharedValues(kinds: readonly SharedKind[], key: number) {
  const counts = kinds.map(() => new ValueBuckets())
  const slots = kinds.map((kind) => 1 + sharedKinds.indexOf(kind))
  return {
    add({ person, captured, isFromServer, notes }: SharedEvent) {
      const { userId } = person
      if (userId === undefined) return
      const visitor = notes.hash(0, userId, key)
      for (let n = 0; n < kinds.length; n++) {
        const kind = kinds[n]!
        // many browsers have the same user agent
        if (kind === 'userAgent' && !isFromServer) continue
        const value = kind === '_fbp' ? captured._fbp?.value : person[kind]
        if (value) counts[n]!.add(notes.hash(slots[n]!, value, key), visitor)
      }
    },
    take: () =>
      counts.map((each, n) => ({ kind: kinds[n]!, ...each.take() })).filter(({ total, top }) => total > 0 || top > 0),
  }
}

export type SharedValues = ReturnType<typeof openSharedValues>
