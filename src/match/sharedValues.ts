import { randomInt } from 'node:crypto'
import type { RawPerson } from '#provider/form/person.ts'
import type { CapturedValues } from '#provider/form/request.ts'

/** The values that should differ between visitors. */
export const sharedKinds = ['ip', 'userAgent', 'email', 'customerId', '_fbp'] as const
export type SharedKind = (typeof sharedKinds)[number]

/** Buckets of values. The largest one tells of one value that is shared; the others of chance. */
const buckets = 512
/** A shared value has at least this many of the 32 bits of its visitors. */
const minVisitorBits = 10
/** Below this number of events a share says nothing. */
export const minEvents = 200

/** A keyed hash of 32 bits (FNV-1a). The key is random and is thrown away. */
export function keyedHash(text: string, key: number): number {
  let hash = key
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash ^= hash >>> 15
  return Math.imul(hash, 0x2c1b3c6d) >>> 0
}

function bitsIn(word: number): number {
  let count = 0
  for (let rest = word >>> 0; rest !== 0; rest &= rest - 1) count++
  return count
}

/** Counts the events of each bucket of values, and marks their visitors. The order of events makes no difference. */
class ValueBuckets {
  readonly #events = new Uint32Array(buckets)
  readonly #visitors = new Uint32Array(buckets)
  #total = 0
  #top = 0
  #told = { total: 0, top: 0 }

  add(value: number, visitor: number): void {
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

/** The values of one channel on one day. */
export type SharedValues = {
  add(person: RawPerson, captured: CapturedValues, isServer: boolean): void
  take(): { kind: SharedKind; total: number; top: number }[]
}

/**
 * Looks for one value on many events of different visitors. Only hashes are held, in memory, and their key lives as long as
 * this object.
 */
export function openSharedValues(kinds: readonly SharedKind[], key = randomInt(2 ** 32)): SharedValues {
  const counts = new Map<SharedKind, ValueBuckets>()
  return {
    add(person, captured, isServer) {
      const { userId } = person
      if (userId === undefined) return
      const visitor = keyedHash(userId, key)
      for (const kind of kinds) {
        // many browsers have one user agent
        if (kind === 'userAgent' && !isServer) continue
        const value = kind === '_fbp' ? captured._fbp?.value : person[kind]
        if (!value) continue
        const ofKind = counts.get(kind) ?? new ValueBuckets()
        counts.set(kind, ofKind)
        ofKind.add(keyedHash(value, key), visitor)
      }
    },
    take: () =>
      Array.from(counts, ([kind, each]) => ({ kind, ...each.take() })).filter(({ total, top }) => total || top),
  }
}
