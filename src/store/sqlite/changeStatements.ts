import type { WriteUnit } from '#kit/writeBatch.ts'
import { dropReplacedPart, putScript } from '#store/sql/scriptStatements.ts'
import { createSharedStatements } from '#store/sql/sharedChanges.ts'
import { replay } from '#store/sql/tables.ts'
import { insertRow } from '#store/sql/writeRow.ts'
import type { StoreChange } from '#store/store.ts'
import { sqliteDialect } from './dialect.ts'
import { putOrders, settleOrders } from './orderStatements.ts'
import { deleteTag, replaceHosts } from './tagStatements.ts'
import { deleteUser, eraseEvents, eraseJoins, eraseUser } from './userStore.ts'

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
  if ('settle' in change) return settleOrders(change)
  if ('erase' in change) return overwriting(eraseStatements(change))
  if ('add' in change && change.add === 'replay') return [insertRow(replay, change.row)]
  if ('drop' in change && change.drop === 'tag') return deleteTag(change)
  if ('drop' in change && change.drop === 'user') return deleteUser(change)
  if ('put' in change && change.put === 'hosts') return replaceHosts(change)
  if ('put' in change && change.put === 'orders') return putOrders(change)
  if ('put' in change && change.put === 'script') return [dropReplacedPart(change.row), ...putScript(change.row)]
  return sharedStatements(change)
}
