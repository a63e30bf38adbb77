import type { TagEvent } from '#contract/event.ts'
import type { Stream } from '#stream/stream.ts'
import type { AppendItem } from './ingest.ts'

type SlotFor = NonNullable<Stream['slotFor']>

/** A part of an item, and the indexes of its events in the item. */
type ItemPart = { item: AppendItem; indexes: readonly number[] }

function eventsOf({ parsed, part }: AppendItem): readonly TagEvent[] {
  return parsed ?? (JSON.parse(Buffer.from(part.body).toString()) as TagEvent[])
}

/** The events of an item whose users lie in the same slot. */
function pick(item: AppendItem, events: readonly TagEvent[], slot: number, indexes: readonly number[]): AppendItem {
  const { part, parsed, keys, others } = item
  const own = indexes.map((index) => events[index]!)
  const userIds = indexes.map((index) => part.context.userIds![index]!)
  return {
    part: { context: { ...part.context, userId: userIds[0]!, userIds }, body: Buffer.from(JSON.stringify(own)) },
    keys: indexes.map((index) => keys[index]!),
    slot,
    ...(parsed && { parsed: own }),
    ...(others && { others: indexes.map((index) => others[index]!) }),
  }
}

function splitBySlot(item: AppendItem, tagId: string, slotFor: SlotFor): ItemPart[] {
  const { userIds = [], userId } = item.part.context
  const indexes = [...item.keys.keys()]
  const first = slotFor(tagId, userIds[0] ?? userId)
  if (first === undefined) return [{ item, indexes }]
  const groups = Map.groupBy(indexes, (index) => slotFor(tagId, userIds[index] ?? userId)!)
  if (groups.size === 1) return [{ item: { ...item, slot: first }, indexes }]
  const events = eventsOf(item)
  return [...groups].map(([slot, own]) => ({ item: pick(item, events, slot, own), indexes: own }))
}

/**
 * Appends an item. If the events of its tag are spread over several slots, appends one part per slot of the events'
 * users. Resolves to one boolean per event: true if it is new.
 */
export function appendBySlot(
  item: AppendItem,
  tagId: string,
  slotFor: SlotFor | undefined,
  append: (item: AppendItem) => Promise<readonly boolean[]>,
): Promise<readonly boolean[]> {
  return slotFor ? appendParts(item, tagId, slotFor, append) : append(item)
}

async function appendParts(
  item: AppendItem,
  tagId: string,
  slotFor: SlotFor,
  append: (item: AppendItem) => Promise<readonly boolean[]>,
): Promise<readonly boolean[]> {
  const parts = splitBySlot(item, tagId, slotFor)
  const stored = await Promise.all(parts.map((each) => append(each.item)))
  if (parts.length === 1) return stored[0]!
  const isNew = item.keys.map(() => false)
  for (const [n, { indexes }] of parts.entries())
    for (const [place, index] of indexes.entries()) isNew[index] = stored[n]![place]!
  return isNew
}
