import type { WriteUnit } from '#kit/writeBatch.ts'
import { deletePause } from '#store/sql/channelPauses.ts'
import { insertDeployment, newPartRows } from '#store/sql/deploymentStatements.ts'
import { dropReplacedPart, putScript } from '#store/sql/scriptStatements.ts'
import { createSharedStatements } from '#store/sql/sharedChanges.ts'
import { replay } from '#store/sql/tables.ts'
import { insertRow } from '#store/sql/writeRow.ts'
import type { StoreChange } from '#store/store.ts'
import { sqliteDialect } from './dialect.ts'
import { putOrders, settleOrders } from './orderStatements.ts'
import { stopReplay } from './replayStore.ts'
import { deleteTag, replaceHosts } from './tagStatements.ts'
import { deleteUser, eraseEvents, eraseJoins, eraseUser } from './userStore.ts'

type Change<Verb extends string> = Extract<StoreChange, Record<Verb, string>>

const insertPart = 'INSERT INTO snapshot_part (tag, hash, script, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'

const sharedStatements = createSharedStatements(sqliteDialect)

function addStatements(change: Change<'add'>): WriteUnit {
  switch (change.add) {
    case 'replay':
      return [insertRow(replay, change.row)]
    case 'deployment':
      return [insertDeployment(change), { sql: insertPart, rows: newPartRows(change) }]
    default:
      return sharedStatements(change)
  }
}

function dropStatements(change: Change<'drop'>): WriteUnit {
  switch (change.drop) {
    case 'tag':
      return deleteTag(change)
    case 'user':
      return deleteUser(change)
    case 'pause':
      return [deletePause(sqliteDialect, change.scriptId)]
    default:
      return sharedStatements(change)
  }
}

function eraseStatements(change: Change<'erase'>): WriteUnit {
  switch (change.erase) {
    case 'user':
      return eraseUser(change)
    case 'events':
      return eraseEvents(change)
    case 'joins':
      return eraseJoins(change)
    default:
      return sharedStatements(change)
  }
}

/**
 * What these statements delete is overwritten also on pages that become free. Otherwise such pages are left as they are,
 * because retention frees many.
 */
const overwriting = (unit: WriteUnit): WriteUnit => [
  { sql: 'PRAGMA secure_delete = ON', rows: [[]] },
  ...unit,
  { sql: 'PRAGMA secure_delete = FAST', rows: [[]] },
]

/** The statements of a change. */
export function changeStatements(change: StoreChange): WriteUnit {
  if ('stop' in change) return stopReplay(change.replayId)
  if ('settle' in change) return settleOrders(change)
  if ('erase' in change) return overwriting(eraseStatements(change))
  if ('add' in change) return addStatements(change)
  if ('drop' in change) return dropStatements(change)
  if ('put' in change && change.put === 'hosts') return replaceHosts(change)
  if ('put' in change && change.put === 'orders') return putOrders(change)
  if ('put' in change && change.put === 'script') return [dropReplacedPart(change.row), ...putScript(change.row)]
  return sharedStatements(change)
}
