import type { WriteUnit } from '#kit/writeBatch.ts'
import type { ReplayProgress, ReplayStore } from '#store/replays.ts'
import { readStatus } from '#store/sql/deliveryRows.ts'
import { rowsOf } from '#store/sql/page.ts'
import { runRead } from '#store/sql/read.ts'
import { findCandidates } from '#store/sql/replayCandidates.ts'
import { replay } from '#store/sql/tables.ts'
import { reached, requeueStatements } from './deliveryStatements.ts'
import { sqliteDialect } from './dialect.ts'
import { foldedFirst } from './fold/foldedFirst.ts'
import type { JournalWriter } from './fold/journalWriter.ts'
import { isDelivery, keyParams } from './refs.ts'
import { readPage, type SqlReader } from './sqlReader.ts'

const candidates = findCandidates(sqliteDialect)
const selectReplayNumber = '(SELECT no FROM replay WHERE id = ?1)'

/** Runs before the delivery is made due: stores its earlier state. */
const markDelivery = `
  UPDATE delivery SET replay = ${selectReplayNumber}, before = status || coalesce(' ' || reason, '')
  WHERE ${isDelivery(['?2', '?3', '?4'])} AND status NOT IN ('held', 'pending')`
/** A slice that started before the replay was stopped does not restart it. */
const updateReplay = `
  UPDATE replay SET state = iif(state = 'stopping' AND ?2 <> 'stopped', state, ?2), tally = ?3, started_at = coalesce(started_at, ?4),
    ended_at = iif(state = 'stopping' AND ?2 <> 'stopped', NULL, ?5), reached = coalesce(?6, reached)
  WHERE id = ?1`
/** Splits `before` at the space into status and reason. */
const revertDeliveries = `
  UPDATE delivery SET
    status = iif(instr(before, ' '), substr(before, 1, instr(before, ' ') - 1), before),
    reason = iif(instr(before, ' '), substr(before, instr(before, ' ') + 1), NULL), next_at = NULL
  WHERE replay = ${selectReplayNumber} AND status = 'pending' AND under_way = 0
  RETURNING ${reached}`

const selectStatus = `SELECT status, reason FROM delivery WHERE ${isDelivery()}`
const selectUnfinished = 'SELECT * FROM replay WHERE ended_at IS NULL ORDER BY no'
const selectPending = `
  SELECT ref.id AS script, count(*) AS count FROM (
    SELECT script FROM delivery WHERE replay = ${selectReplayNumber} AND status = 'pending' LIMIT ?2
  ) JOIN ref ON ref.no = script GROUP BY script`
function progressStatements(replayId: string, step: ReplayProgress, tagId: string): WriteUnit {
  const { requeued = [], nextAt = 0, state, tally, startedAt, endedAt, cursor } = step
  return [
    { sql: markDelivery, rows: requeued.map(({ deliveryId }) => [replayId, ...keyParams(deliveryId)]) },
    ...requeueStatements(requeued.map((each) => ({ ...each, tagId, nextAt }))),
    {
      sql: updateReplay,
      rows: [[replayId, state, JSON.stringify(tally), startedAt ?? null, endedAt ?? null, cursor ?? null]],
    },
  ]
}

export function createReplayStore(read: SqlReader, writer: JournalWriter): ReplayStore {
  const folded = foldedFirst(writer)
  const get = (replayId: string) => {
    const row = read.one('SELECT * FROM replay WHERE id = ?', replayId)
    return row && replay.read(row)
  }
  return {
    get: async (replayId) => get(replayId),
    list: async (tagId, page) => readPage(read, rowsOf('replay', 'tag', tagId), page, replay.read),
    unfinished: async () => read.all(selectUnfinished).map(replay.read),
    candidates: folded(async (...args) => runRead(candidates(...args), read)),
    async saveProgress(replayId, step) {
      const replay = get(replayId)
      if (replay) await writer.write(progressStatements(replayId, step, replay.tagId))
    },
    revertPending: (replayId) => writer.write([{ sql: revertDeliveries, rows: [[replayId]] }]),
    statusOf: folded(async (deliveryId) => {
      const row = read.one(selectStatus, ...keyParams(deliveryId))
      return row && readStatus(row)
    }),
    pendingByScript: folded(async (replayId, limit) => {
      const rows = read.all(selectPending, replayId, limit)
      return Object.fromEntries(rows.map(({ script, count }) => [script, Number(count)]))
    }),
  }
}
