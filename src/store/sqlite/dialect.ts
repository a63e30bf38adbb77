import type { Dialect } from '#store/sql/dialect.ts'
import { eventsBy, purchasesBy } from './eventBuckets.ts'
import { selectEvents } from './eventScan.ts'
import { scanPlaces } from './placeScan.ts'
import { addRefs, keyParams, selectId, selectRef } from './refs.ts'

const elements = (param: string) => `SELECT value FROM json_each(${param})`
const ref = (param: string) => `(SELECT no FROM ref WHERE id = ${param})`

/** Large tables store numbers for the ids of tags and scripts (table `ref`) and of replays. */
export const sqliteDialect: Dialect = {
  insert(table, columns, conflict = '') {
    const values = Object.values(columns).map((type) => (type === 'ref' ? selectRef : '?'))
    const sql = `INSERT INTO ${table} (${Object.keys(columns).join(', ')}) VALUES (${values.join(', ')}) ${conflict}`
    return (rows) => ({ sql, rows })
  },
  addRefs: (ids) => [addRefs(ids)],
  elements,
  isIn: (column, param) => `${column} IN (${elements(param)})`,
  forUpdate: () => '',
  deployedParts: (param) => `SELECT each.value FROM deployment, json_each(parts) AS each WHERE tag = ${param}`,
  ref,
  isRefOf: (column, param, table: string = 'ref') =>
    `${column} IN (SELECT no FROM ${table} WHERE id IN (${elements(param)}))`,
  idOf: (column, table: string = 'ref') => `(SELECT ${table}.id FROM ${table} WHERE ${table}.no = ${column})`,
  tuples: (param, name, columns) => {
    const selected = Object.keys(columns).map((column, n) => `value ->> ${n} AS ${column}`)
    return `(SELECT ${selected.join(', ')}, key AS no FROM json_each(${param})) AS ${name}`
  },
  refsOf: (param) => `SELECT id, no AS script FROM ref WHERE id IN (${elements(param)})`,
  delivery: {
    joins: 'JOIN ref AS script ON script.no = delivery.script JOIN ref AS provider ON provider.no = delivery.provider',
    id: selectId,
    columns: 'script.id AS script_id, provider.id AS provider',
    user: 'event.user',
    selectPlaces: 'SELECT DISTINCT value ->> 0 AS position, value ->> 1 AS idx FROM json_each(?1)',
    idsParam: (ids) => JSON.stringify(ids.map(keyParams)),
    isOfAttempt:
      'attempt.position = delivery.position AND attempt.idx = delivery.idx AND attempt.script = delivery.script',
    firstMessage: 'NULL',
    ranksDelivered: true,
    lastDelivered: (tag) => `(
      SELECT at FROM delivery
      WHERE tag = ${tag} AND script = own.script AND status = 'delivered' AND reason IS NULL
      ORDER BY position DESC, idx DESC LIMIT 1)`,
    noScript: 0,
    scriptOf: Number,
  },
  selectEvents,
  scanPlaces,
  funnelBlocks: {
    size: 512,
    select: `
      WITH RECURSIVE numbers (no) AS (SELECT ?2 UNION ALL SELECT no + 1 FROM numbers WHERE no < ?3)
      SELECT ref.id AS script, status, reason, sum(count) AS count
      FROM numbers CROSS JOIN funnel_count ON funnel_count.block = numbers.no AND funnel_count.tag = ${ref('?1')}
      LEFT JOIN ref ON ref.no = funnel_count.script GROUP BY 1, 2, 3`,
  },
  eventsOfUser: {
    own: `${eventsBy('user')} WHERE tag = ${ref('?1')} AND user = ?2`,
    joined: `${eventsBy('joined')} WHERE tag = ${ref('?1')} AND joined = ?2`,
  },
  purchasesBy,
  lockTag: () => [],
  rollUpCounts(table, by, stepMinutes) {
    const inStep = `tag = ${ref('?1')} AND minute > ?2 AND minute < ?2 + ${stepMinutes}`
    return [
      `INSERT INTO ${table} SELECT tag, ?2, ${by}, sum(count) FROM ${table} WHERE ${inStep} GROUP BY ${by}
      ON CONFLICT DO UPDATE SET count = count + excluded.count`,
      `DELETE FROM ${table} WHERE ${inStep}`,
    ]
  },
  // Between two reads only: a query thread cannot be ended within one.
  longReadMs: 50,
}
