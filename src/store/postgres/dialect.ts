import { type ElementType, toBinaryColumns } from '#postgres/binaryArrays.ts'
import type { Dialect } from '#store/sql/dialect.ts'
import { toStatement } from '#store/sql/sql.ts'
import { scanPlaces, selectEvents } from './listScan.ts'

const elements = (param: string) => `SELECT json_array_elements_text(${param}::json) AS value`
const isIn = (column: string, param: string) => `${column} = ANY(ARRAY(${elements(param)}))`
const tupleTypes = { bigint: 'bigint', int: 'int', text: 'text', ref: 'text' }

export const postgresDialect: Dialect = {
  insert(table, columns, conflict = '') {
    const names = Object.keys(columns).join(', ')
    const types = Object.values(columns).map((type): ElementType => (type === 'ref' ? 'text' : type))
    const sql = `
      INSERT INTO ${table} (${names}) SELECT ${names}
      FROM unnest(${types.map((type) => `?::${type}[]`).join(', ')}) WITH ORDINALITY AS each (${names}, place)
      ORDER BY place ${conflict}`
    return (rows) => ({ sql, rows: rows.length > 0 ? [toBinaryColumns(rows, types)] : [] })
  },
  addRefs: () => [],
  elements,
  isIn,
  forUpdate: (table) => `FOR UPDATE OF ${table}`,
  deployedParts: (param) => `SELECT json_array_elements_text(parts::json) FROM deployment WHERE tag = ${param}`,
  ref: (param) => param,
  isRefOf: isIn,
  idOf: (column) => column,
  tuples(param, name, columns) {
    const selected = Object.entries(columns).map(
      ([each, type], n) => `(value ->> ${n})::${tupleTypes[type]} AS ${each}`,
    )
    return `(
      SELECT ${selected.join(', ')}, no - 1 AS no
      FROM json_array_elements(${param}::json) WITH ORDINALITY AS each (value, no)) AS ${name}`
  },
  refsOf: (param) => `SELECT value AS id, value AS script FROM (${elements(param)}) AS ids`,
  delivery: {
    joins: '',
    id: 'delivery.id',
    columns: 'delivery.script AS script_id, delivery.provider',
    user: 'event.user_id',
    selectPlaces: `SELECT DISTINCT position, idx FROM delivery WHERE id = ANY(ARRAY(${elements('?1')}))`,
    idsParam: (ids) => JSON.stringify(ids),
    isOfAttempt: 'attempt.delivery = delivery.id',
    firstMessage: 'delivery.message',
    ranksDelivered: false,
    lastDelivered: (tag) => `(SELECT at FROM last_delivery WHERE tag = ${tag} AND script = own.script)`,
    noScript: '',
    scriptOf: (text) => text,
  },
  selectEvents,
  scanPlaces,
  funnelBlocks: {
    size: 16_384,
    select: `
      SELECT nullif(script, '') AS script, status, reason, sum(count) AS count
      FROM funnel_count WHERE tag = ?1 AND block >= ?2 AND block <= ?3 GROUP BY 1, 2, 3`,
  },
  eventsOfUser: { own: 'event WHERE tag = ?1 AND user_id = ?2', joined: 'event WHERE tag = ?1 AND joined = ?2' },
  purchasesBy: () => 'purchase',
  lockTag: (tagId) => [toStatement('SELECT id FROM tag WHERE id = ? FOR UPDATE', tagId)],
  // Adds exactly what it removes, even if another process counts in this range.
  rollUpCounts: (table, by, stepMinutes) => [
    `WITH removed AS (
      DELETE FROM ${table} WHERE tag = ?1 AND minute > ?2 AND minute < ?2 + ${stepMinutes} RETURNING ${by}, count
    )
    INSERT INTO ${table} AS counted (tag, minute, ${by}, count)
    SELECT ?1, ?2, ${by}, sum(count) FROM removed GROUP BY ${by} ORDER BY ${by}
    ON CONFLICT (tag, minute, ${by}) DO UPDATE SET count = counted.count + excluded.count`,
  ],
  longReadMs: Number.POSITIVE_INFINITY,
}
