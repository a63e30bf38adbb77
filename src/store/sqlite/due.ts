import { type DueDelivery, type Journal, type Lane, lanes } from '#store/store.ts'
import type { Read, Row } from './read.ts'
import { refOf } from './refs.ts'
import { present } from './rows.ts'

/** Lanes are numbered by their order. */
export const laneOf = (lane: Lane): number => lanes.indexOf(lane)

/** Steps from one script to the next in the index of what is due, instead of reading all that is due. */
const nextDue = `
  WITH RECURSIVE waiting (script) AS (
    SELECT min(script) FROM delivery WHERE status = 'pending'
    UNION ALL
    SELECT (SELECT min(script) FROM delivery WHERE status = 'pending' AND script > waiting.script)
    FROM waiting WHERE waiting.script IS NOT NULL
  ),
  lane (lane) AS (VALUES (0), (1), (2))
  SELECT ref.id AS script, next.lane, next.at AS next_at FROM (
    SELECT script, lane.lane, (
      SELECT min(next_at) FROM delivery
      WHERE status = 'pending' AND script = waiting.script AND delivery.lane = lane.lane AND next_at > ?
    ) AS at FROM waiting, lane WHERE script IS NOT NULL
  ) AS next JOIN ref ON ref.no = next.script WHERE next.at IS NOT NULL`

const rows = `
  SELECT delivery.*, event.received_at, tag.id AS tag_id, script.id AS script_id
  FROM delivery JOIN event USING (tag, position, idx)
    JOIN ref AS tag ON tag.no = delivery.tag JOIN ref AS script ON script.no = delivery.script`

const due = `${rows}
  WHERE delivery.status = 'pending' AND delivery.script = ${refOf} AND delivery.lane = ? AND delivery.next_at <= ?
  ORDER BY delivery.next_at LIMIT ?`

/** What has been due for so long is older still; only among it what has outlived its retention is looked for. */
const overdue = `${rows}
  WHERE delivery.status = 'pending' AND delivery.script = ${refOf} AND delivery.lane = ? AND delivery.next_at <= ?
    AND event.received_at <= ?
  LIMIT ?`

const stepsIn = (json: string) => (JSON.parse(json) as (string | null)[]).map((result) => result ?? undefined)

const dueRow = (row: Row): DueDelivery => ({
  ...present<Omit<DueDelivery, 'lane' | 'spoilt' | 'stepResults'>>({
    deliveryId: row.id,
    tagId: row.tag_id,
    position: row.position,
    index: row.idx,
    scriptId: row.script_id,
    providerId: row.provider,
    attempts: row.attempts,
    free: row.free,
    nextAt: row.next_at,
    receivedAt: row.received_at,
    queue: row.queue,
  }),
  lane: lanes[Number(row.lane)] ?? 'fresh',
  ...(row.steps !== null && { stepResults: stepsIn(String(row.steps)) }),
  ...(Number(row.spoilt) > 0 && { spoilt: Number(row.spoilt) }),
})

export const dueOf = (read: Read): Pick<Journal, 'nextDue' | 'due' | 'overdue'> => ({
  nextDue: async (afterMs) =>
    read.all(nextDue, afterMs).map(({ script, lane, next_at }) => {
      return { scriptId: String(script), lane: lanes[Number(lane)]!, nextAt: Number(next_at) }
    }),
  async due(scriptId, nowMs, limit, lane) {
    const found: DueDelivery[] = []
    for (const each of lane ? [lane] : lanes)
      found.push(...read.all(due, scriptId, laneOf(each), nowMs, limit - found.length).map(dueRow))
    return found
  },
  async overdue(scriptId, lane, { dueMs, receivedMs }, limit) {
    return read.all(overdue, scriptId, laneOf(lane), dueMs, receivedMs, limit).map(dueRow)
  },
})
