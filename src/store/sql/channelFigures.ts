import type { ChannelFigures } from '#store/journalQueries.ts'
import { createDeliveryReads } from './deliveryReads.ts'
import { lastError } from './deliveryRows.ts'
import type { Dialect, StateKey } from './dialect.ts'
import { placeOf } from './places.ts'
import type { Read } from './read.ts'
import type { SqlRow } from './sql.ts'
import { isRanked, keyRows, scanStates } from './stateKeys.ts'

/** Whether deliveries with this status and reason have failed at least once. */
const isErrorState = (status: string, reason: string | null): boolean =>
  (status === 'pending' && reason !== null) || status === 'refused' || (status === 'dead' && reason !== 'erased')

/** The smallest of the known values. */
const smallestOf = (values: readonly (number | undefined)[]): number | undefined => {
  const known = values.filter((each) => each !== undefined)
  return known.length > 0 ? Math.min(...known) : undefined
}

const statuses = ['pending', 'held', 'refused', 'dead'] as const
/**
 * First attempts, retries, replays. These are parameters: for constants PostgreSQL may read the whole index of pending
 * deliveries.
 */
const priorities = [0, 1, 2]

/**
 * Queries of the states in the JSON array `?2`: the waiting deliveries, and the last event of each state. The query of
 * scripts takes their ids in `?2`.
 */
function figureStatements(dialect: Dialect) {
  const tag = dialect.ref('?1')
  /**
   * The index has the deliveries of one status and one reason in order of arrival. IS NULL does not count as one
   * reason, so the reason is a sort column too.
   */
  const ofState = (column: string, order = '') => {
    const where = `delivery.tag = ${tag} ${isRanked(dialect)}
      AND delivery.script = state.script AND delivery.status = state.status`
    const select = (reason: string) =>
      `(SELECT ${column} FROM delivery WHERE ${where} AND delivery.reason ${reason} ${order})`
    return `CASE WHEN state.reason IS NULL THEN ${select('IS NULL')} ELSE ${select('= state.reason')} END`
  }
  const [oldestFirst, newestFirst] = ['ASC', 'DESC'].map(
    (each) => `ORDER BY delivery.reason ${each}, delivery.position ${each}, delivery.idx ${each} LIMIT 1`,
  )
  const receivedAt = `(
    SELECT received_at FROM event
    WHERE event.tag = ${tag} AND event.position = delivery.position AND event.idx = delivery.idx)`
  const from = `FROM ${keyRows(dialect, '?2')}`
  const nextOf = (priority: number) => `(
    SELECT next_at FROM delivery
    WHERE delivery.script = own.script AND delivery.priority = ?${priority + 3} AND status = 'pending'
    ORDER BY next_at LIMIT 1) AS next_${priority}`
  return {
    waiting: `
      SELECT state.script, state.status, ${ofState('count(*)')} AS count,
        ${ofState(receivedAt, oldestFirst)} AS received_at ${from}`,
    last: `
      SELECT state.script, ${ofState('delivery.position', newestFirst)} AS position,
        ${ofState('delivery.idx', newestFirst)} AS idx ${from}`,
    scripts: `
      SELECT own.id, own.script, ${priorities.map(nextOf).join(', ')},
        ${dialect.delivery.lastDelivered(tag)} AS delivered_at
      FROM (${dialect.refsOf('?2')}) AS own`,
  }
}

const numberOf = (value: unknown) => (value === null ? undefined : Number(value))

/** `waiting`: of the script. `failed`: its last failed delivery. */
function toFigures(script: SqlRow, waiting: readonly SqlRow[], failed: SqlRow | undefined): ChannelFigures {
  const ofStatus = (wanted: string) => waiting.filter(({ status }) => status === wanted)
  const sum = (wanted: string) => ofStatus(wanted).reduce((total, { count }) => total + Number(count), 0)
  const oldestAt = smallestOf(ofStatus('pending').map((row) => numberOf(row.received_at)))
  const nextAt = smallestOf(priorities.map((priority) => numberOf(script[`next_${priority}`])))
  const lastDeliveredAt = numberOf(script.delivered_at)
  return {
    scriptId: String(script.id),
    waiting: sum('pending'),
    held: sum('held'),
    ...(oldestAt !== undefined && { oldestAt }),
    ...(nextAt !== undefined && { nextAt }),
    ...(lastDeliveredAt !== undefined && { lastDeliveredAt }),
    ...(failed && { lastError: lastError.read(failed) }),
  }
}

/**
 * The waiting deliveries, the last delivery and the last error of each script. Reads only indexes and one row of each
 * kind.
 */
export function readChannelFigures(dialect: Dialect) {
  const select = figureStatements(dialect)
  const states = scanStates(dialect)
  const deliveries = createDeliveryReads(dialect)

  function* readStates(sql: string, tagId: string, keys: readonly StateKey[]): Read<SqlRow[]> {
    return keys.length === 0 ? [] : yield [sql, tagId, JSON.stringify(keys)]
  }
  /** The last delivery of each failed state, newest first. */
  function* readFailed(tagId: string, keys: readonly StateKey[]): Read<SqlRow[]> {
    const found = yield* readStates(select.last, tagId, keys)
    const places = found.map(placeOf)
    const rows = yield* deliveries.withLastAttempts(yield* deliveries.at(tagId, places))
    return rows.sort((one, other) => Number(other.at) - Number(one.at))
  }
  return function* (tagId: string, scriptIds: readonly string[]): Read<ChannelFigures[]> {
    const keys = yield* states(tagId, { statuses }, scriptIds)
    const isWaiting = ([, status]: StateKey) => status === 'pending' || status === 'held'
    const waiting = yield* readStates(select.waiting, tagId, keys.filter(isWaiting))
    const hasFailed = ([, status, reason]: StateKey) => isErrorState(status, reason)
    const failed = yield* readFailed(tagId, keys.filter(hasFailed))
    const scripts = yield [select.scripts, tagId, JSON.stringify(scriptIds), ...priorities]
    return scriptIds.map((scriptId) => {
      const own = scripts.find(({ id }) => id === scriptId)
      if (!own) return { scriptId, waiting: 0, held: 0 }
      const isOwn = ({ script }: SqlRow) => script === own.script
      return toFigures(own, waiting.filter(isOwn), failed.find(isOwn))
    })
  }
}
