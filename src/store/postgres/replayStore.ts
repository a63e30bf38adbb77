import { allSlots } from '#cluster/slotOf.ts'
import type { Database, Sql } from '#postgres/database.ts'
import type { Ownership } from '#postgres/ownership.ts'
import { repeatUnknown } from '#postgres/repeatWhileAway.ts'
import type { ReplayProgress, ReplayRecord, ReplayStore } from '#store/replays.ts'
import { readStatus } from '#store/sql/deliveryRows.ts'
import { readPageOf, rowsOf } from '#store/sql/page.ts'
import { awaitRead } from '#store/sql/read.ts'
import { findCandidates } from '#store/sql/replayCandidates.ts'
import { replay } from '#store/sql/tables.ts'
import { changeDeliveries } from './changeDeliveries.ts'
import { postgresDialect } from './dialect.ts'
import { ownerWrite } from './ownerWrite.ts'
import { storePlanned, storePlannedOf } from './plannedDeliveries.ts'
import { requeue } from './requeueStatements.ts'
import { createReads } from './statements.ts'

const candidates = findCandidates(postgresDialect)
const selectReplay = 'SELECT * FROM replay WHERE id = $1'
const selectUnfinished = 'SELECT * FROM replay WHERE ended_at IS NULL AND slot = ANY($1) ORDER BY no'

/** A slice that started before the replay was stopped does not restart it. */
const updateReplay = `
  UPDATE replay SET state = CASE WHEN state = 'stopping' AND $2 <> 'stopped' THEN state ELSE $2 END, tally = $3,
    started_at = coalesce(started_at, $4),
    ended_at = CASE WHEN state = 'stopping' AND $2 <> 'stopped' THEN NULL ELSE $5::bigint END,
    reached = coalesce($6, reached)
  WHERE id = $1`

/** A parameter: for the constant the planner may read an index of all pending deliveries. */
const pending = 'pending'

/** Splits `before` at the space into status and reason. */
const revertDeliveries = changeDeliveries(
  'SELECT position, idx, script FROM delivery WHERE replay = $1 AND status = $2 AND NOT under_way',
  `status = split_part(before, ' ', 1), reason = nullif(split_part(before, ' ', 2), ''), next_at = NULL`,
  'delivery.before IS NOT NULL',
)

const selectStatus = 'SELECT status, reason FROM delivery WHERE id = $1'
const selectPending = `
  SELECT script, count(*) AS count FROM (
    SELECT script FROM delivery WHERE replay = $1 AND status = $3 LIMIT $2
  ) AS waiting GROUP BY script`

async function writeProgress(
  sql: Sql,
  { replayId, tagId }: ReplayRecord,
  step: ReplayProgress,
  ownSlots: readonly number[],
): Promise<void> {
  const { requeued = [], nextAt = 0, state, tally, startedAt, endedAt, cursor } = step
  await requeue(
    sql,
    requeued.map((each) => ({ ...each, tagId, nextAt })),
    ownSlots,
    replayId,
  )
  const times = [startedAt ?? null, endedAt ?? null]
  await sql(updateReplay, [replayId, state, JSON.stringify(tally), ...times, cursor ?? null])
}

/** The replays of all tags. A worker reads the unfinished ones in its slots. */
export function createReplayStore(database: Database, ownership?: Ownership): ReplayStore {
  const { sql } = database
  const slots = () => ownership?.slots() ?? allSlots
  const get = async (replayId: string) => (await sql(selectReplay, [replayId])).map(replay.read)[0]
  return {
    get,
    list: (tagId, page) => readPageOf(createReads(sql), rowsOf('replay', 'tag', tagId), page, replay.read),
    unfinished: async () => (await sql(selectUnfinished, [slots()])).map(replay.read),
    async candidates(tagId, filter, after, limit) {
      await repeatUnknown(() => storePlannedOf(sql, tagId))
      return awaitRead(candidates(tagId, filter, after, limit), createReads(sql))
    },
    async saveProgress(replayId, step) {
      const found = await get(replayId)
      if (!found) return
      if (step.requeued) await ownerWrite(database, ownership, (each) => storePlannedOf(each, found.tagId))
      await ownerWrite(database, ownership, (each) => writeProgress(each, found, step, slots()))
    },
    revertPending: (replayId) => ownerWrite(database, ownership, (each) => revertDeliveries(each, [replayId, pending])),
    async statusOf(deliveryId) {
      let [row] = await sql(selectStatus, [deliveryId])
      if (!row) {
        await repeatUnknown(() => storePlanned(sql, slots()))
        ;[row] = await sql(selectStatus, [deliveryId])
      }
      return row && readStatus(row)
    },
    async pendingByScript(replayId, limit) {
      const rows = await sql(selectPending, [replayId, limit, pending])
      return Object.fromEntries(rows.map(({ script, count }) => [String(script), Number(count)]))
    },
  }
}
