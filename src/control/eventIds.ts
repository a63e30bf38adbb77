import type { TagRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'
import { readEventsAt } from './events.ts'

/** The ids of the events of one batch, in order. */
type CachedEventIds = { tagId: string; rewritten: number; ids: readonly string[] }

/** Maximum cached ids. All streams of a tag read the same batches, so the oldest batch is evicted first. */
const maxIds = 20_000
const eventIdCaches = new WeakMap<ControlDeps['stream'], { byPosition: Map<number, CachedEventIds>; ids: number }>()

/** The event ids of the batch at a position. An erasure rewrites batches, which invalidates the cache. */
export async function readEventIdsAt(deps: ControlDeps, tag: TagRecord, position: number): Promise<readonly string[]> {
  const { stream } = deps
  const cache = eventIdCaches.get(stream) ?? { byPosition: new Map(), ids: 0 }
  eventIdCaches.set(stream, cache)
  const cached = cache.byPosition.get(position)
  if (cached?.tagId === tag.tagId && cached.rewritten === stream.rewritten()) return cached.ids
  const rewritten = stream.rewritten()
  const ids = (await readEventsAt(deps, tag, position)).map(({ event }) => event.eventId)
  if (ids.length === 0) return ids // may be readable later
  evict(cache, position)
  cache.byPosition.set(position, { tagId: tag.tagId, rewritten, ids })
  cache.ids += ids.length
  for (const oldest of cache.byPosition.keys()) {
    if (cache.ids <= maxIds) break
    evict(cache, oldest)
  }
  return ids
}

function evict(cache: { byPosition: Map<number, CachedEventIds>; ids: number }, position: number): void {
  cache.ids -= cache.byPosition.get(position)?.ids.length ?? 0
  cache.byPosition.delete(position)
}
