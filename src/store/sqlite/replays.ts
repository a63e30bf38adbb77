import type { Reason, Status } from '#contract/outcome.ts'
import type { Unit } from '#kit/units.ts'
import type { Writer } from '#kit/writer.ts'
import type { ReplayRecord, ReplayStep, Replays } from '#store/replays.ts'
import { candidatesOf } from './candidates.ts'
import { replayed } from './plan.ts'
import { type Read, readPage } from './read.ts'
import { orNull, parsed, present, type Shape } from './rows.ts'

const numberOf = '(SELECT no FROM replay WHERE id = ?1)'

export const replay: Shape<ReplayRecord> = {
  columns: (each) => ({
    id: each.replayId,
    tag: each.tagId,
    team: each.teamId,
    filter: JSON.stringify(each.filter),
    by: each.by,
    state: each.state,
    created_at: each.createdAt,
    started_at: orNull(each.startedAt),
    ended_at: orNull(each.endedAt),
    reached: orNull(each.reached),
    tally: JSON.stringify(each.tally),
  }),
  read: (row) =>
    present<ReplayRecord>({
      replayId: row.id,
      tagId: row.tag,
      teamId: row.team,
      filter: parsed(row.filter),
      by: row.by,
      state: row.state,
      createdAt: row.created_at,
      startedAt: row.started_at,
      endedAt: row.ended_at,
      reached: row.reached,
      tally: parsed(row.tally),
    }),
}

/** Before the delivery is made due: how it stood is remembered. */
const mark = `
  UPDATE delivery SET replay = ${numberOf}, before = status || coalesce(' ' || reason, '')
  WHERE id = ?2 AND status NOT IN ('held', 'pending')`
/** A step that began before the replay was stopped does not start it again. */
const moved = `
  UPDATE replay SET state = iif(state = 'stopping' AND ?2 <> 'stopped', state, ?2), tally = ?3, started_at = coalesce(started_at, ?4),
    ended_at = iif(state = 'stopping' AND ?2 <> 'stopped', NULL, ?5), reached = coalesce(?6, reached)
  WHERE id = ?1`
/** What stood before comes apart at its space. */
const takenBack = `
  UPDATE delivery SET
    status = iif(instr(before, ' '), substr(before, 1, instr(before, ' ') - 1), before),
    reason = iif(instr(before, ' '), substr(before, instr(before, ' ') + 1), NULL), next_at = NULL
  WHERE replay = ${numberOf} AND status = 'pending' AND under_way = 0`

const openOnes = 'SELECT * FROM replay WHERE ended_at IS NULL ORDER BY no'
const pending = `
  SELECT ref.id AS script, count(*) AS count FROM (
    SELECT script FROM delivery WHERE replay = ${numberOf} AND status = 'pending' LIMIT ?2
  ) JOIN ref ON ref.no = script GROUP BY script`
function stepped(replayId: string, step: ReplayStep, tagId: string): Unit {
  const { again = [], nextAt = 0, state, tally, startedAt, endedAt, reached } = step
  return [
    { sql: mark, rows: again.map(({ deliveryId }) => [replayId, deliveryId]) },
    ...replayed(again.map((each) => ({ ...each, tagId, nextAt }))),
    {
      sql: moved,
      rows: [[replayId, state, JSON.stringify(tally), startedAt ?? null, endedAt ?? null, reached ?? null]],
    },
  ]
}

export function replaysOf(read: Read, writer: Writer): Replays {
  const get = (replayId: string) => {
    const row = read.one('SELECT * FROM replay WHERE id = ?', replayId)
    return row && replay.read(row)
  }
  return {
    get: async (replayId) => get(replayId),
    list: async (tagId, page) =>
      readPage(
        read,
        { sql: 'SELECT * FROM replay WHERE tag = ?', params: [tagId], columns: ['no'] },
        page,
        replay.read,
      ),
    open: async () => read.all(openOnes).map(replay.read),
    candidates: async (tagId, filter, after, limit) => candidatesOf(read, tagId, filter, after, limit),
    async step(replayId, step) {
      const known = get(replayId)
      if (known) await writer.write(stepped(replayId, step, known.tagId))
    },
    takeBack: (replayId) => writer.write([{ sql: takenBack, rows: [[replayId]] }]),
    async stands(deliveryId) {
      const row = read.one('SELECT status, reason FROM delivery WHERE id = ?', deliveryId)
      return row && present<{ status: Status; reason?: Reason }>({ status: row.status, reason: row.reason })
    },
    pending: async (replayId, most) =>
      Object.fromEntries(read.all(pending, replayId, most).map(({ script, count }) => [script, Number(count)])),
  }
}

/** Stops one that has not ended. */
export const stopReplay = (replayId: string): Unit => [
  { sql: `UPDATE replay SET state = 'stopping' WHERE id = ? AND ended_at IS NULL`, rows: [[replayId]] },
]
