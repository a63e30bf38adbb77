import type { Statement, WriteUnit } from '#kit/writeBatch.ts'
import type { Writer } from '#kit/writer.ts'
import type { PlannedEvent } from '#store/plannedEvent.ts'

/** Inserted before the event, and only if the event does not exist yet, so that the first plan is kept. */
const insertPlanned = `
  INSERT INTO planned (position, idx, tag, total, queue, deliveries)
  SELECT ?2, ?3, tag.no, ?4, ?5, ?6 FROM ref AS tag WHERE tag.id = ?1
    AND NOT EXISTS (SELECT 1 FROM event WHERE event.tag = tag.no AND event.position = ?2 AND event.idx = ?3)
  ON CONFLICT (position, idx) DO NOTHING`

/** The pending deliveries of these events, one row for each event that has any. */
export const plannedStatement = (events: readonly PlannedEvent[]): Statement => ({
  sql: insertPlanned,
  rows: events.flatMap(({ tagId, position, index, orderKey, deliveries }) => {
    const pending = deliveries.filter(({ status }) => status === 'pending')
    if (pending.length === 0) return []
    const list = pending.map(({ deliveryId, scriptId, providerId }) => [deliveryId, scriptId, providerId])
    return [[tagId, position, index, deliveries.length, orderKey ?? null, JSON.stringify(list)]]
  }),
})

/** An event whose deliveries all have a row is skipped without reading its list. */
const insertMissing = `
  INSERT INTO delivery (id, tag, position, idx, script, provider, status, next_at, name, at, queue, spoilt)
  SELECT each.value ->> 0, planned.tag, planned.position, planned.idx, script.no, each.value ->> 2, 'pending',
    event.received_at, event.name, event.received_at, planned.queue, ?
  FROM planned JOIN event USING (tag, position, idx) CROSS JOIN json_each(planned.deliveries) AS each
    JOIN ref AS script ON script.id = each.value ->> 1
  WHERE planned.total > (
    SELECT count(*) FROM delivery WHERE delivery.position = planned.position AND delivery.idx = planned.idx)
  ON CONFLICT (position, idx, script) DO NOTHING`

/** Inserts the rows that are missing, pending and due. `crashCount`: of deliveries that may have been in flight. */
export const storePlannedStatements = (crashCount = 0): WriteUnit => [
  { sql: insertMissing, rows: [[crashCount]] },
  { sql: 'DELETE FROM planned', rows: [[]] },
]

/** The deliveries that have no row yet. Whoever reads rows of pending deliveries stores them first. */
export type PlannedDeliveries = {
  /** Events with pending deliveries are about to be written. */
  add(events: readonly PlannedEvent[]): void
  /** Whether deliveries may be without a row, of one script or at all. True while rows are being written. */
  hasAny(scriptId?: string): boolean
  /** Resolves when every delivery that was planned before the call has a row. */
  storeAll(): Promise<void>
  /**
   * Writes these statements, and stores what an ended process left. Its deliveries may have been in flight, so each has
   * crashed once.
   */
  recover(statements: WriteUnit): Promise<void>
}

export function openPlannedDeliveries(writer: Writer): PlannedDeliveries {
  /** An earlier process may have left some, or a write has failed. */
  let isUnknown = true
  let scriptIds = new Set<string>()
  /** The last write of missing rows, and how many are under way. */
  let stored: Promise<void> = Promise.resolve()
  let writing = 0
  const hasNew = () => isUnknown || scriptIds.size > 0
  const hasAny = (scriptId?: string) => isUnknown || writing > 0 || (scriptId ? scriptIds.has(scriptId) : hasNew())
  function write(unit: WriteUnit): Promise<void> {
    isUnknown = false
    scriptIds = new Set()
    writing++
    stored = writer
      .write(unit)
      .catch((error) => {
        isUnknown = true
        throw error
      })
      .finally(() => writing--)
    return stored
  }
  return {
    hasAny,
    add(events) {
      for (const { deliveries } of events)
        for (const { status, scriptId } of deliveries) if (status === 'pending') scriptIds.add(scriptId)
    },
    storeAll: () => (hasNew() ? write(storePlannedStatements()) : stored),
    recover: (statements) => write([...statements, ...storePlannedStatements(1)]),
  }
}
