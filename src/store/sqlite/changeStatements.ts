import type { WriteUnit } from '#kit/writeBatch.ts'
import { insertAlert } from '#store/sql/alertStore.ts'
import { deletePause } from '#store/sql/channelPauses.ts'
import { controlStatement, deleteScript } from '#store/sql/controlStatements.ts'
import { insertDeployment, newPartRows } from '#store/sql/deploymentStatements.ts'
import { deleteOldOrders, erasePayloads } from '#store/sql/orderStore.ts'
import { dropReplacedPart, putScript } from '#store/sql/scriptStatements.ts'
import { replay } from '#store/sql/tables.ts'
import { deleteOldRuns, eraseRuns } from '#store/sql/webhookRuns.ts'
import { insertRow } from '#store/sql/writeRow.ts'
import type { StoreChange } from '#store/store.ts'
import { sqliteDialect } from './dialect.ts'
import { intakeStatements } from './intakeTables.ts'
import { addPayloads, putOrders, settleOrders } from './orderStatements.ts'
import { refusedCallStatements } from './refusedCalls.ts'
import { stopReplay } from './replayStore.ts'
import { runStatements } from './runStatements.ts'
import { deleteTag, replaceHosts } from './tagStatements.ts'
import { deleteUser, eraseEvents, eraseJoins, eraseUser } from './userStore.ts'

type Change<Verb extends string> = Extract<StoreChange, Record<Verb, string>>

const insertPart = 'INSERT INTO snapshot_part (tag, hash, script, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'

function addStatements(change: Change<'add'>): WriteUnit {
  switch (change.add) {
    case 'alert':
      return insertAlert(change.row, change.hookIds)
    case 'refusedCalls':
      return refusedCallStatements(change.rows)
    case 'intake':
      return intakeStatements(change.batch)
    case 'runs':
      return runStatements(change.rows)
    case 'orderPayloads':
      return addPayloads(change)
    case 'replay':
      return [insertRow(replay, change.row)]
    case 'deployment':
      return [insertDeployment(change), { sql: insertPart, rows: newPartRows(change) }]
    default:
      return [controlStatement(change)]
  }
}

function dropStatements(change: Change<'drop'>): WriteUnit {
  switch (change.drop) {
    case 'tag':
      return deleteTag(change)
    case 'runs':
      return deleteOldRuns(change.before)
    case 'orders':
      return deleteOldOrders(change)
    case 'script':
      return deleteScript(change.scriptId)
    case 'user':
      return deleteUser(change)
    case 'pause':
      return [deletePause(sqliteDialect, change.scriptId)]
    default:
      return [controlStatement(change)]
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
    case 'runs':
      return eraseRuns(change)
    case 'orderPayloads':
      return erasePayloads(change)
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
  return [controlStatement(change)]
}
