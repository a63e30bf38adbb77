import type { WriteUnit } from '#kit/writeBatch.ts'
import { writtenBy } from '#store/sql/changeTable.ts'
import { deleteOrders } from '#store/sql/orderStore.ts'
import { dropReplacedPart, putScript } from '#store/sql/scriptStatements.ts'
import { createSharedStatements, deleteTagRows } from '#store/sql/sharedChanges.ts'
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

/**
 * Overwrites what these statements delete, even on pages that become free. Otherwise free pages are not overwritten,
 * because retention frees many.
 */
const overwriting = (unit: WriteUnit): WriteUnit => [
  { sql: 'PRAGMA secure_delete = ON', rows: [[]] },
  ...unit,
  { sql: 'PRAGMA secure_delete = FAST', rows: [[]] },
]

const shared = createSharedStatements(sqliteDialect)

/** The statements of a change. */
export const changeStatements = writtenBy<StoreChange, WriteUnit>({
  ...shared,
  'add replay': ({ row }) => insertRow(replay, row),
  'put hosts': replaceHosts,
  'put script': ({ row }) => [dropReplacedPart(row), ...putScript(row)],
  'drop tag': deleteTag,
  'drop user': deleteUser,
  'erase user': (change) => overwriting(eraseUser(change)),
  'erase events': (change) => overwriting(eraseEvents(change)),
  'erase joins': (change) => overwriting(eraseJoins(change)),
  'erase runs': (change) => overwriting(shared['erase runs'](change)),
  'erase orderPayloads': (change) => overwriting(shared['erase orderPayloads'](change)),
})
