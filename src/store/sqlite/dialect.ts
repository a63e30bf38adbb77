import type { Dialect } from '#store/sql/sql.ts'
import { addRefs, selectRef } from './refs.ts'

const elements = (param: string) => `SELECT value FROM json_each(${param})`
const ref = (param: string) => `(SELECT no FROM ref WHERE id = ${param})`

/** Large tables have numbers for the ids of tags and scripts, which the table `ref` has, and for those of replays. */
export const sqliteDialect: Dialect = {
  insert(table, columns, conflict = '') {
    const values = Object.values(columns).map((type) => (type === 'ref' ? selectRef : '?'))
    const sql = `INSERT INTO ${table} (${Object.keys(columns).join(', ')}) VALUES (${values.join(', ')}) ${conflict}`
    return (rows) => ({ sql, rows })
  },
  addRefs: (ids) => [addRefs(ids)],
  elements,
  deployedParts: (param) => `SELECT each.value FROM deployment, json_each(parts) AS each WHERE tag = ${param}`,
  ref,
  isRefOf: (column, param, table: string = 'ref') =>
    `${column} IN (SELECT no FROM ${table} WHERE id IN (${elements(param)}))`,
  idOf: (column, table: string = 'ref') => `(SELECT ${table}.id FROM ${table} WHERE ${table}.no = ${column})`,
  eventsOfUser: {
    own: `event INDEXED BY event_user WHERE tag = ${ref('?1')} AND user = ?2`,
    joined: `event INDEXED BY event_joined WHERE tag = ${ref('?1')} AND joined = ?2`,
  },
  lockTag: () => [],
  rollUpCounts(table, by, stepMinutes) {
    const inStep = `tag = ${ref('?1')} AND minute > ?2 AND minute < ?2 + ${stepMinutes}`
    return [
      `INSERT INTO ${table} SELECT tag, ?2, ${by}, sum(count) FROM ${table} WHERE ${inStep} GROUP BY ${by}
      ON CONFLICT DO UPDATE SET count = count + excluded.count`,
      `DELETE FROM ${table} WHERE ${inStep}`,
    ]
  },
  // A thread can only be ended between two reads.
  longReadMs: 50,
}
