import { isIP } from 'node:net'
import { fault } from '#contract/fault.ts'
import type { Clock } from '#kit/clock.ts'
import { createLruCache } from '#kit/lruCache.ts'
import { tokenBuckets } from '#kit/tokenBucket.ts'
import type { Snapshot } from '#script/snapshot.ts'

/** Finds the tag of an id or host name that this process does not know; undefined if there is none. */
type FindTag = (name: string) => Promise<Snapshot | undefined>

/** Finds tags that this process does not know yet. Both throw overloaded. */
export type LateLookups = { tag: FindTag; host: FindTag }

/** A name that was not found is not looked up again for this time. */
const unknownMs = 1_000
const maxUnknown = 10_000
/** Anyone can send names that do not exist. More reads would delay other callers' events. */
const readsPerSecond = 20
const maxReads = 50

const isTagId = (text: string) => /^tag_[0-9a-hjkmnp-tv-z]{26}$/.test(text)
const isHostName = (text: string) => /^[a-z0-9.-]{4,253}$/.test(text) && text.includes('.') && isIP(text) === 0

/**
 * Reads tags from the store that another process may have just created, because the change feed may be late. Ids and
 * host names each have a rate limit. Above it, a call gets overloaded instead of 404, so that its sender retries.
 */
export function openLateLookups(read: LateLookups, clock: Pick<Clock, 'now'>): LateLookups {
  const reads = tokenBuckets({ perSecond: readsPerSecond, capacity: maxReads }, clock)
  const lookUp = (kind: keyof LateLookups, isPossible: (name: string) => boolean): FindTag => {
    const unknownAt = createLruCache<string, number>(maxUnknown)
    const reading = new Map<string, Promise<Snapshot | undefined>>()

    async function readOnce(name: string): Promise<Snapshot | undefined> {
      if (reads.waitMs(kind, 1) > 0) throw fault('overloaded', { headers: { 'retry-after': '1' } })
      reads.take(kind, 1)
      const tag = await read[kind](name)
      if (!tag) unknownAt.set(name, clock.now())
      return tag
    }
    return async (name) => {
      if (!isPossible(name)) return undefined
      const passedMs = clock.now() - (unknownAt.get(name) ?? Number.NEGATIVE_INFINITY)
      if (passedMs >= 0 && passedMs < unknownMs) return undefined
      const found = reading.get(name) ?? readOnce(name).finally(() => reading.delete(name))
      reading.set(name, found)
      return found
    }
  }
  return { tag: lookUp('tag', isTagId), host: lookUp('host', isHostName) }
}
