import type { Unit } from '#kit/units.ts'
import type { Pack } from '#store/found.ts'
import type { AttemptRow, Settled } from '#store/store.ts'
import { issuesCounted } from './counts.ts'
import { addRefs, refOf } from './refs.ts'

const keepPack = `INSERT INTO bodies (tag, failed, at, sealed) VALUES (${refOf}, ?, ?, ?)`

/**
 * An outcome that is written again after its first write was in doubt finds its attempt there. Its bodies lie in one of the packs
 * that were just written: counted from the last of them.
 */
const keep = `
  INSERT INTO attempt (delivery, number, at, duration_ms, http_status, message, joined, bodies, part)
  SELECT no, ?, ?, ?, ?, ?, ?, (SELECT seq FROM sqlite_sequence WHERE name = 'bodies') - ?, ? FROM delivery WHERE id = ?
  ON CONFLICT (delivery, number) DO NOTHING`

const rowOf = (
  { deliveryId, number, at, durationMs, httpStatus, message, joined, packed }: AttemptRow,
  packs: number,
) => {
  const told = [number, at, durationMs, httpStatus ?? null, message ?? null, joined ?? null]
  return [...told, packed ? packs - 1 - packed.pack : null, packed?.part ?? null, deliveryId]
}

/** What writes attempts, the bodies that they point to, and the count of the issues that they recorded. */
export const attempted = (outcomes: readonly Settled[], packs: readonly Pack[]): Unit => [
  addRefs(packs.map(({ tagId }) => tagId)),
  { sql: keepPack, rows: packs.map(({ tagId, failed, at, sealed }) => [tagId, failed ? 1 : 0, at, sealed]) },
  issuesCounted(outcomes),
  { sql: keep, rows: outcomes.flatMap(({ attempt }) => (attempt ? [rowOf(attempt, packs.length)] : [])) },
]
