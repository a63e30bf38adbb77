import type { TagRecord } from '#store/store.ts'
import { eventsAt } from './events.ts'
import type { ControlWorld } from './world.ts'

/** The ids of the events that lie together at a position, in their order. */
type Opened = { tagId: string; rewritten: number; ids: readonly string[] }

/** So many ids are remembered, of those that were asked for last: the streams of a tag all ask for the same. */
const mostIds = 20_000
const opened = new WeakMap<ControlWorld['stream'], { byPosition: Map<number, Opened>; ids: number }>()

/** As `eventsAt`, the ids alone. What was rewritten meanwhile, because somebody was erased, is read again. */
export async function eventIdsAt(on: ControlWorld, tag: TagRecord, position: number): Promise<readonly string[]> {
  const { stream } = on
  const memory = opened.get(stream) ?? { byPosition: new Map(), ids: 0 }
  opened.set(stream, memory)
  const known = memory.byPosition.get(position)
  if (known?.tagId === tag.tagId && known.rewritten === stream.rewritten()) return known.ids
  const rewritten = stream.rewritten()
  const ids = (await eventsAt(on, tag, position)).map(({ event }) => event.eventId)
  forget(memory, position)
  memory.byPosition.set(position, { tagId: tag.tagId, rewritten, ids })
  memory.ids += ids.length
  for (const oldest of memory.byPosition.keys()) {
    if (memory.ids <= mostIds) break
    forget(memory, oldest)
  }
  return ids
}

function forget(memory: { byPosition: Map<number, Opened>; ids: number }, position: number): void {
  memory.ids -= memory.byPosition.get(position)?.ids.length ?? 0
  memory.byPosition.delete(position)
}
