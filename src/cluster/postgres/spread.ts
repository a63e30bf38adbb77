import type { Database } from '#postgres/database.ts'
import { slotsOf, type TagSpread } from '../slotOf.ts'

const addSlots = `
  INSERT INTO spread (tag, slots) VALUES ($1, $2)
  ON CONFLICT (tag) DO UPDATE SET slots = ARRAY(SELECT unnest(spread.slots) UNION SELECT unnest(EXCLUDED.slots))
  WHERE NOT spread.slots @> EXCLUDED.slots`

/**
 * Stores which slots spread tags use, before an event is stored there. Slots are never removed: those of an earlier
 * spread may still have events.
 */
export async function registerSpread({ sql }: Pick<Database, 'sql'>, spread: TagSpread): Promise<void> {
  for (const [tagId, count] of spread) await sql(addSlots, [tagId, slotsOf(tagId, count)])
}

/** SQL: the slots that may have events of a tag, from the parameters of its id and its own slot. */
export const slotsOfTag = (tag: string, ownSlot: string) =>
  `(${ownSlot}::int || ARRAY(SELECT unnest(slots) FROM spread WHERE spread.tag = ${tag}))`
