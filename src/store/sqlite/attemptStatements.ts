import type { WriteUnit } from '#kit/writeBatch.ts'
import type { ExchangePack } from '#store/deliveryQueries.ts'
import type { AttemptRecord, DeliveryOutcome } from '#store/store.ts'
import { issueCountStatement } from './journalCounts.ts'
import { addRefs, selectRef } from './refs.ts'

const insertPack = `INSERT INTO bodies (tag, failed, at, sealed) VALUES (${selectRef}, ?, ?, ?)`

/**
 * Idempotent, because an outcome is written again if its first write was in doubt. `bodies` refers to one of the packs
 * that were just inserted: the last number of the sequence minus an offset.
 */
const insertAttempt = `
  INSERT INTO attempt (delivery, number, at, duration_ms, http_status, message, joined, bodies, part)
  SELECT no, ?, ?, ?, ?, ?, ?, (SELECT seq FROM sqlite_sequence WHERE name = 'bodies') - ?, ? FROM delivery WHERE id = ?
  ON CONFLICT (delivery, number) DO NOTHING`

const attemptParams = (
  { deliveryId, number, at, durationMs, httpStatus, message, joined, packed }: AttemptRecord,
  packs: number,
) => {
  const params = [number, at, durationMs, httpStatus ?? null, message ?? null, joined ?? null]
  return [...params, packed ? packs - 1 - packed.pack : null, packed?.part ?? null, deliveryId]
}

/** Inserts attempts, the packs that they refer to, and the counts of their issues. */
export const attemptStatements = (outcomes: readonly DeliveryOutcome[], packs: readonly ExchangePack[]): WriteUnit => [
  addRefs(packs.map(({ tagId }) => tagId)),
  { sql: insertPack, rows: packs.map(({ tagId, failed, at, sealed }) => [tagId, failed ? 1 : 0, at, sealed]) },
  issueCountStatement(outcomes),
  {
    sql: insertAttempt,
    rows: outcomes.flatMap(({ attempt }) => (attempt ? [attemptParams(attempt, packs.length)] : [])),
  },
]
