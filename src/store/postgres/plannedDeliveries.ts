import { slotsOfTag } from '#cluster/postgres/spread.ts'
import { allSlots, slotOf } from '#cluster/slotOf.ts'
import type { Database, Sql } from '#postgres/database.ts'
import type { Ownership } from '#postgres/ownership.ts'
import { repeatUnknown } from '#postgres/repeatWhileAway.ts'
import type { PlannedEvent } from '#store/plannedEvent.ts'
import { arrayRows } from './columns.ts'
import { ownerWrite } from './ownerWrite.ts'

const listed = arrayRows('listed', {
  ...({ slot: 'int4', position: 'int8', idx: 'int4', tag: 'text', total: 'int4', queue: 'text' } as const),
  deliveries: 'text',
})
const insertPlanned = `INSERT INTO planned (${listed.names}) SELECT * FROM ${listed.from} ON CONFLICT DO NOTHING`

/** One row with the list of pending deliveries for each just inserted event that has any. */
export async function insertPlannedDeliveries(sql: Sql, events: readonly PlannedEvent[]): Promise<void> {
  const rows = events.flatMap(({ tagId, position, index, orderKey, deliveries, slot = slotOf(tagId) }) => {
    const pending = deliveries.filter(({ status }) => status === 'pending')
    if (pending.length === 0) return []
    const list = JSON.stringify(
      pending.map(({ deliveryId, scriptId, providerId }) => [deliveryId, scriptId, providerId]),
    )
    return [[slot, position, index, tagId, deliveries.length, orderKey ?? null, list]]
  })
  if (rows.length > 0) await sql(insertPlanned, listed.params(rows))
}

/**
 * Locks the lists in order, so that concurrent moves wait instead of deadlocking. By then a list that another move took
 * is gone, and its rows are committed. Rows that an outcome inserts at the same time win. Most lists are finished:
 * their events are not looked up, because in a new database that may read all events of the tag.
 */
const moveRows = (slots: string) => `
  WITH list AS (
    DELETE FROM planned WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM planned WHERE slot = ANY(${slots}) ORDER BY slot, position, idx FOR UPDATE
    )) RETURNING planned.*
  ), unfinished AS MATERIALIZED (
    SELECT * FROM list WHERE list.total > (
      SELECT count(*) FROM delivery WHERE delivery.position = list.position AND delivery.idx = list.idx
    )
  )
  INSERT INTO delivery (position, idx, slot, next_at, at, crash_count, id, tag, script, provider, status, name, queue)
  SELECT list.position, list.idx, list.slot, event.received_at, event.received_at, $2, each.value ->> 0, list.tag,
    (each.value ->> 1) COLLATE "C" AS script, each.value ->> 2, 'pending', event.name, list.queue
  FROM unfinished AS list
    JOIN event ON event.tag = list.tag AND event.position = list.position AND event.idx = list.idx
    CROSS JOIN LATERAL json_array_elements(list.deliveries::json) AS each
  ORDER BY list.position, list.idx, script
  ON CONFLICT DO NOTHING`

const moveOfSlots = moveRows('$1')
const moveOfTag = moveRows(slotsOfTag('$3', '$1'))

/**
 * Inserts pending, due rows for planned deliveries of these slots that have no row. Call it before reading rows of
 * pending deliveries. `crashCount`: set on the new rows, because these deliveries may have been in flight.
 */
export async function storePlanned(sql: Sql, slots: readonly number[] = allSlots, crashCount = 0): Promise<void> {
  await sql(moveOfSlots, [slots, crashCount])
}

/** Does the same for the slots that may have events of a tag. */
export async function storePlannedOf(sql: Sql, tagId: string): Promise<void> {
  await sql(moveOfTag, [slotOf(tagId), 0, tagId])
}

/** Knows whether a worker's slots have deliveries without a row, so that the database is queried only then. */
export type PlannedLists = {
  /** Adds events that were written, or may have been written. */
  add(events: readonly PlannedEvent[]): void
  /**
   * Resolves when every delivery that was planned before the call has a row: for these scripts, or by default for all.
   */
  storeAll(scriptIds?: readonly string[]): Promise<void>
}

/** Without an ownership, other processes plan too, so every call queries the database. */
export function trackPlanned(database: Database, ownership: Ownership | undefined): PlannedLists {
  if (!ownership) return { add: () => {}, storeAll: () => repeatUnknown(() => storePlanned(database.sql)) }
  let scripts = new Set<string>()
  /** The slots of the last move. An earlier owner may have left lists in others. */
  let known = ''
  /** The last move. It waits for earlier moves, which have locked their lists. */
  let moving: Promise<void> = Promise.resolve()
  const mayHave = (scriptIds: readonly string[] | undefined, slots: string) =>
    slots !== known || (scriptIds ? scriptIds.some((scriptId) => scripts.has(scriptId)) : scripts.size > 0)
  async function move(slots: readonly number[]): Promise<void> {
    const before = scripts
    scripts = new Set()
    known = slots.join()
    try {
      await ownerWrite(database, ownership, (sql) => storePlanned(sql, slots))
    } catch (error) {
      scripts = scripts.union(before)
      known = ''
      throw error
    }
  }
  return {
    add(events) {
      for (const { deliveries } of events)
        for (const { status, scriptId } of deliveries) if (status === 'pending') scripts.add(scriptId)
    },
    async storeAll(scriptIds) {
      const slots = ownership.slots()
      if (mayHave(scriptIds, slots.join())) moving = move(slots)
      await moving
    },
  }
}
