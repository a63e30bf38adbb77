import { isErrorState, smallestOf } from '#store/channelErrors.ts'
import type { ChannelFigures } from '#store/journalQueries.ts'
import { createDeliveryReads } from './deliveryReads.ts'
import { readLastError } from './deliveryRows.ts'
import { keyOf } from './places.ts'
import type { Read } from './read.ts'
import type { Dialect, ScriptKey, SqlRow } from './sql.ts'
import { isRanked, keyRows, type StateKey, scanStates } from './stateKeys.ts'

const statuses = ['pending', 'held', 'refused', 'dead'] as const
/** First attempts, retries, replays. Parameters: with constants PostgreSQL may read an index of everything that is pending. */
const priorities = [0, 1, 2]

const numbersIn = (row: SqlRow, ...columns: readonly string[]) =>
  columns.map((name) => (row[name] === null ? undefined : Number(row[name])))

/** What waits for each script, and its last delivery and error. Reads indexes only, besides one row of each kind. */
export function readChannelFigures(dialect: Dialect) {
  const tag = dialect.ref('?1')
  const states = scanStates(dialect)
  const deliveries = createDeliveryReads(dialect)
  /** The index of states has the deliveries of a key in order of arrival: by `reason` too, for IS NULL is no single value. */
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
  const selectWaiting = `
    SELECT state.script, state.status, ${ofState('count(*)')} AS count,
      ${ofState(receivedAt, oldestFirst)} AS received_at ${from}`
  const selectFailed = `
    SELECT state.script, ${ofState('delivery.position', newestFirst)} AS position,
      ${ofState('delivery.idx', newestFirst)} AS idx ${from}`
  const nextOf = (priority: number) => `(
    SELECT next_at FROM delivery WHERE delivery.script = own.script AND delivery.priority = ?${priority + 3} AND status = 'pending'
    ORDER BY next_at LIMIT 1) AS next_${priority}`
  const selectScripts = `
    SELECT own.id, own.script, ${priorities.map(nextOf).join(', ')}, ${dialect.delivery.lastDelivered(tag)} AS delivered_at
    FROM (${dialect.refsOf('?2')}) AS own`

  function* readKeys(sql: string, tagId: string, keys: readonly StateKey[]): Read<SqlRow[]> {
    return keys.length === 0 ? [] : yield [sql, tagId, JSON.stringify(keys)]
  }
  /** The last delivery of each state that has failed, newest first. */
  function* readFailed(tagId: string, keys: readonly StateKey[]): Read<SqlRow[]> {
    const found = yield* readKeys(selectFailed, tagId, keys)
    const places = found.map((row) => ({ ...keyOf(row), script: row.script as ScriptKey }))
    const rows = yield* deliveries.withLastAttempts(yield* deliveries.at(tagId, places))
    return rows.sort((one, other) => Number(other.at) - Number(one.at))
  }
  return function* (tagId: string, scriptIds: readonly string[]): Read<ChannelFigures[]> {
    const keys = yield* states(tagId, { statuses }, scriptIds)
    const isWaiting = ([, status]: StateKey) => status === 'pending' || status === 'held'
    const waiting = yield* readKeys(selectWaiting, tagId, keys.filter(isWaiting))
    const failed = yield* readFailed(
      tagId,
      keys.filter(([, status, reason]) => isErrorState(status, reason)),
    )
    const found = yield [selectScripts, tagId, JSON.stringify(scriptIds), ...priorities]
    const scripts = new Map(found.map((row) => [row.id, row]))
    return scriptIds.map((scriptId) => {
      const own = scripts.get(scriptId)
      const ofStatus = (wanted: string) =>
        own ? waiting.filter(({ script, status }) => script === own.script && status === wanted) : []
      const sum = (wanted: string) => ofStatus(wanted).reduce((total, { count }) => total + Number(count), 0)
      const oldestAt = smallestOf(ofStatus('pending').flatMap((row) => numbersIn(row, 'received_at')))
      const nextAt = own && smallestOf(numbersIn(own, ...priorities.map((priority) => `next_${priority}`)))
      const [lastDeliveredAt] = own ? numbersIn(own, 'delivered_at') : []
      const last = failed.find(({ script_id }) => script_id === scriptId)
      return {
        scriptId,
        waiting: sum('pending'),
        held: sum('held'),
        ...(oldestAt !== undefined && { oldestAt }),
        ...(nextAt !== undefined && { nextAt }),
        ...(lastDeliveredAt !== undefined && { lastDeliveredAt }),
        ...(last && { lastError: readLastError(last) }),
      }
    })
  }
}
