import type { WriteUnit } from '#kit/writeBatch.ts'
import { deleteTagRows } from '#store/sql/controlStatements.ts'
import { deleteOrders } from '#store/sql/orderStore.ts'
import { dropReplacedPart, putScript } from '#store/sql/scriptStatements.ts'
import { createSharedStatements } from '#store/sql/sharedChanges.ts'
import { toStatement } from '#store/sql/sql.ts'
import { replay } from '#store/sql/tables.ts'
import { deleteRuns } from '#store/sql/webhookRuns.ts'
import { insertRow } from '#store/sql/writeRow.ts'
import type { StoreChange } from '#store/store.ts'
import { sqliteDialect } from './dialect.ts'
import { selectRef } from './refs.ts'
import { deleteUser, eraseEvents, eraseJoins, eraseUser } from './userStore.ts'

const deleteTag = ({ tagId }: Extract<StoreChange, { drop: 'tag' }>): WriteUnit => [
  ...deleteRuns('tag', tagId),
  ...deleteOrders(tagId),
  ...deleteTagRows(tagId),
  ...['email_user', 'custom_user', 'tag_user'].map((table) =>
    toStatement(`DELETE FROM ${table} WHERE tag = ${selectRef}`, tagId),
  ),
  toStatement('DELETE FROM tag WHERE id = ?', tagId),
]

const replaceHosts = ({ tagId, hosts, at }: Extract<StoreChange, { put: 'hosts' }>): WriteUnit => [
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

const sharedStatements = createSharedStatements(sqliteDialect)

/**
 * What these statements delete is overwritten also on pages that become free. Otherwise such pages are left as they are,
 * because retention frees many.
 */
const overwriting = (unit: WriteUnit): WriteUnit => [
  { sql: 'PRAGMA secure_delete = ON', rows: [[]] },
  ...unit,
  { sql: 'PRAGMA secure_delete = FAST', rows: [[]] },
]

function eraseStatements(change: Extract<StoreChange, { erase: string }>): WriteUnit {
  if (change.erase === 'user') return eraseUser(change)
  if (change.erase === 'events') return eraseEvents(change)
  return change.erase === 'joins' ? eraseJoins(change) : sharedStatements(change)
}

/** The statements of a change. */
export function changeStatements(change: StoreChange): WriteUnit {
  if ('erase' in change) return overwriting(eraseStatements(change))
  if ('add' in change && change.add === 'replay') return [insertRow(replay, change.row)]
  if ('drop' in change && change.drop === 'tag') return deleteTag(change)
  if ('drop' in change && change.drop === 'user') return deleteUser(change)
  if ('put' in change && change.put === 'hosts') return replaceHosts(change)
  if ('put' in change && change.put === 'script') return [dropReplacedPart(change.row), ...putScript(change.row)]
  return sharedStatements(change)
}
