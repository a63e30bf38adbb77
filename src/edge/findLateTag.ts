import { LRUCache } from 'lru-cache'
import { fault } from '#contract/fault.ts'
import type { Clock } from '#kit/clock.ts'
import { tokenBuckets } from '#kit/tokenBucket.ts'
import type { Snapshot } from '#script/snapshot.ts'

/** Finds a tag that this process does not know; undefined if there is none. Throws overloaded. */
export type FindLateTag = (tagId: string) => Promise<Snapshot | undefined>

/** An id that was not found is not asked for again for this time. */
const unknownMs = 1_000
const maxUnknown = 10_000
/** Anyone can call with ids that do not exist. More reads would hold up the events of others. */
const readsPerSecond = 20
const maxReads = 50

/**
 * Asks the store for tags that another process may just have made, because the change feed may be late. Above the rate a
 * call is answered with overloaded instead of tagUnknown, so that its sender repeats it.
 */
export function openFindLateTag(read: FindLateTag, clock: Pick<Clock, 'now'>): FindLateTag {
  const unknownAt = new LRUCache<string, number>({ max: maxUnknown })
  const reads = tokenBuckets({ perSecond: readsPerSecond, capacity: maxReads }, clock)
  const reading = new Map<string, Promise<Snapshot | undefined>>()

  async function readOnce(tagId: string): Promise<Snapshot | undefined> {
    if (reads.waitMs('', 1) > 0) throw fault('overloaded', { headers: { 'retry-after': '1' } })
    reads.take('', 1)
    const tag = await read(tagId)
    if (!tag) unknownAt.set(tagId, clock.now())
    return tag
  }
  return async (tagId) => {
    if (!/^tag_[0-9a-hjkmnp-tv-z]{26}$/.test(tagId)) return undefined
    const passedMs = clock.now() - (unknownAt.get(tagId) ?? Number.NEGATIVE_INFINITY)
    if (passedMs >= 0 && passedMs < unknownMs) return undefined
    const found = reading.get(tagId) ?? readOnce(tagId).finally(() => reading.delete(tagId))
    reading.set(tagId, found)
    return found
  }
}
