import type { WriteUnit } from '#kit/writeBatch.ts'
import type { StoreChange } from '#store/store.ts'
import { insertAlert } from './alertStore.ts'
import { deletePause } from './channelPauses.ts'
import { type ControlChange, controlStatement, deleteScript } from './controlStatements.ts'
import { createDeploymentStatements } from './deploymentStatements.ts'
import type { Dialect } from './dialect.ts'
import { createIntakeStatements, createRefusedStatements } from './intakeStatements.ts'
import { createOrderStatements } from './orderStatements.ts'
import { createPayloadStatements, deleteOldOrders, erasePayloads } from './orderStore.ts'
import { toStatement } from './sql.ts'
import { createRunStatements, deleteOldRuns, eraseRuns } from './webhookRuns.ts'

/** The changes that both databases write with the same statements. */
export type SharedChange =
  | ControlChange
  | Extract<StoreChange, { add: 'alert' | 'deployment' | 'refusedCalls' | 'intake' | 'runs' | 'orderPayloads' }>
  | Extract<StoreChange, { drop: 'runs' | 'orders' | 'script' | 'pause' } | { stop: 'replay' }>
  | Extract<StoreChange, { erase: 'runs' | 'orderPayloads' } | { put: 'orders' } | { settle: 'orders' }>

/** A replay that has ended stays as it is. */
const stopReplay = `UPDATE replay SET state = 'stopping' WHERE id = ? AND ended_at IS NULL`

/** The statements of a change. */
export function createSharedStatements(dialect: Dialect): (change: SharedChange) => WriteUnit {
  const addRefused = createRefusedStatements(dialect)
  const addIntake = createIntakeStatements(dialect)
  const addRuns = createRunStatements(dialect)
  const addPayloads = createPayloadStatements(dialect)
  const addDeployment = createDeploymentStatements(dialect)
  const orders = createOrderStatements(dialect)

  function addStatements(change: Extract<SharedChange, { add: string }>): WriteUnit {
    switch (change.add) {
      case 'alert':
        return insertAlert(change.row, change.hookIds)
      case 'deployment':
        return addDeployment(change)
      case 'refusedCalls':
        return addRefused(change.rows)
      case 'intake':
        return addIntake(change.batch)
      case 'runs':
        return addRuns(change.rows)
      case 'orderPayloads':
        return addPayloads(change)
      default:
        return [controlStatement(change)]
    }
  }
  function dropStatements(change: Extract<SharedChange, { drop: string }>): WriteUnit {
    switch (change.drop) {
      case 'runs':
        return deleteOldRuns(change.before)
      case 'orders':
        return deleteOldOrders(change)
      case 'script':
        return deleteScript(change.scriptId)
      case 'pause':
        return [deletePause(dialect, change.scriptId)]
      default:
        return [controlStatement(change)]
    }
  }
  return (change) => {
    if ('add' in change) return addStatements(change)
    if ('drop' in change) return dropStatements(change)
    if ('settle' in change) return orders.settle(change)
    if ('put' in change && change.put === 'orders') return orders.put(change)
    if ('stop' in change) return [toStatement(stopReplay, change.replayId)]
    if ('erase' in change) return change.erase === 'runs' ? eraseRuns(change) : erasePayloads(change)
    return [controlStatement(change)]
  }
}
