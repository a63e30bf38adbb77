import type { WriteUnit } from '#kit/writeBatch.ts'
import { deleteTagRows } from '#store/sql/controlStatements.ts'
import { deleteOrders } from '#store/sql/orderStore.ts'
import { toStatement } from '#store/sql/sql.ts'
import { deleteRuns } from '#store/sql/webhookRuns.ts'
import type { StoreChange } from '#store/store.ts'
import { sqliteDialect } from './dialect.ts'
import { selectRef } from './refs.ts'

export const deleteTag = ({ tagId }: Extract<StoreChange, { drop: 'tag' }>): WriteUnit => [
  ...deleteRuns('tag', tagId),
  ...deleteOrders(tagId),
  ...deleteTagRows(tagId),
  ...['email_user', 'custom_user', 'tag_user'].map((table) =>
    toStatement(`DELETE FROM ${table} WHERE tag = ${selectRef}`, tagId),
  ),
  toStatement('DELETE FROM tag WHERE id = ?', tagId),
]

export const replaceHosts = ({ tagId, hosts, at }: Extract<StoreChange, { put: 'hosts' }>): WriteUnit => [
  toStatement(
    `DELETE FROM host_claim WHERE tag = ? AND name NOT IN (${sqliteDialect.elements('?')})`,
    tagId,
    JSON.stringify(hosts),
  ),
  {
    sql: 'INSERT INTO host_claim (tag, name, claimed_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    rows: hosts.map((host) => [tagId, host, at]),
  },
]
