import type { Statement, WriteUnit } from '#kit/writeBatch.ts'
import type { StoreChange } from '#store/store.ts'
import { accountStatements } from './accountStatements.ts'
import { insertAlert } from './alertStore.ts'
import type { ChangeTable, StoreChangeName } from './changeTable.ts'
import { deletePause } from './channelPauses.ts'
import { createDeploymentStatements } from './deploymentStatements.ts'
import type { Dialect } from './dialect.ts'
import { incidentStatements } from './incidentStore.ts'
import { createIntakeStatements, createRefusedStatements } from './intakeStatements.ts'
import { createOrderStatements } from './orderStatements.ts'
import { createPayloadStatements, deleteOldOrders, erasePayloads } from './orderStore.ts'
import { orNull } from './rowMappings.ts'
import { toStatement } from './sql.ts'
import {
  acceptance,
  audit,
  hook,
  hostClaim,
  person,
  policy,
  sealingKey,
  secret,
  setting,
  tag,
  team,
  token,
} from './tables.ts'
import { createRunStatements, deleteOldRuns, deleteRuns, eraseRuns } from './webhookRuns.ts'
import { deleteRows, insertRow, updateRow, upsertRow } from './writeRow.ts'

/** The changes that each database writes with its own statements. */
export type OwnChangeName = Extract<
  StoreChangeName,
  `erase ${'user' | 'events' | 'joins'}` | `drop ${'tag' | 'user'}` | `put ${'hosts' | 'script'}` | 'add replay'
>

/** Keeps an existing row. */
const ifAbsent = (unit: WriteUnit): WriteUnit =>
  unit.map(({ sql, rows }) => ({ sql: `${sql} ON CONFLICT DO NOTHING`, rows }))

const revokeToken = 'UPDATE token SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?'
/** A replay that has ended does not change. */
const stopReplay = `UPDATE replay SET state = 'stopping' WHERE id = ? AND ended_at IS NULL`
const update = (sql: string, ...params: Statement['rows'][number]): WriteUnit => [
  toStatement(`UPDATE ${sql}`, ...params),
]

/** Changes whose statements are the same on both databases. */
export function createSharedStatements(dialect: Dialect): Omit<ChangeTable<StoreChange, WriteUnit>, OwnChangeName> {
  const addRefused = createRefusedStatements(dialect)
  const addIntake = createIntakeStatements(dialect)
  const addRuns = createRunStatements(dialect)
  const orders = createOrderStatements(dialect)
  return {
    account: ({ account }) => accountStatements(account),
    alerting: ({ alerting }) => incidentStatements(alerting),
    'add team': ({ row }) => insertRow(team, row),
    'put teamKey': ({ sealedKey, teamId }) => update('team SET sealed_key = ? WHERE id = ?', sealedKey, teamId),
    'put teamName': ({ name, teamId }) => update('team SET name = ? WHERE id = ?', name, teamId),
    'put teamMute': ({ until, teamId }) =>
      update('team SET alerts_muted_until = ? WHERE id = ?', orNull(until), teamId),
    'add person': ({ row }) => insertRow(person, row),
    'add token': ({ row }) => insertRow(token, row),
    'revoke token': ({ at, tokenId }) => [toStatement(revokeToken, at, tokenId)],
    'add tag': ({ row }) => insertRow(tag, row),
    'put tag': ({ row }) => upsertRow(tag, row),
    'put hostClaim': ({ row }) => updateRow(hostClaim, row),
    'put paused': ({ paused, scriptId }) => update('script SET paused = ? WHERE id = ?', paused ? 1 : null, scriptId),
    'drop script': ({ scriptId }) => [
      ...deleteRuns('script', scriptId),
      ...deleteRows('script WHERE id = ?', scriptId),
    ],
    'drop pause': ({ scriptId }) => [deletePause(dialect, scriptId)],
    'add secret': ({ row }) => insertRow(secret, row),
    'add deployment': createDeploymentStatements(dialect),
    'add hook': ({ row }) => insertRow(hook, row),
    'drop hook': ({ hookId }) => deleteRows('hook WHERE id = ?', hookId),
    'add alert': ({ row, hookIds }) => insertAlert(row, hookIds),
    'add refusedCalls': ({ rows }) => addRefused(rows),
    'add intake': ({ batch }) => addIntake(batch),
    'add runs': ({ rows }) => addRuns(rows),
    'drop runs': ({ before }) => deleteOldRuns(before),
    'erase runs': eraseRuns,
    'stop replay': ({ replayId }) => [toStatement(stopReplay, replayId)],
    'put orders': orders.put,
    'settle orders': orders.settle,
    'drop orders': deleteOldOrders,
    'add orderPayloads': createPayloadStatements(dialect),
    'erase orderPayloads': erasePayloads,
    'put sealingKey': ({ row }) => upsertRow(sealingKey, row),
    'drop sealingKey': ({ kid }) => deleteRows('sealing_key WHERE kid = ?', kid),
    'put policy': ({ row }) => upsertRow(policy, row),
    'drop policy': ({ policyType, version }) =>
      deleteRows('policy WHERE type = ? AND version = ?', policyType, version),
    'add acceptance': ({ row }) => ifAbsent(insertRow(acceptance, row)),
    'put setting': (change) => upsertRow(setting, change),
    'add audit': ({ row }) => insertRow(audit, row),
  }
}

/** Deletes all rows of a tag except the tag itself, its users and its runs. The foreign keys require this order. */
export const deleteTagRows = (tagId: string): Statement[] => [
  // A secret refers only to its script, and a deployment may still contain a deleted script.
  toStatement(
    `DELETE FROM secret_version WHERE script IN (
      SELECT id FROM script WHERE tag = ?1 UNION SELECT script FROM snapshot_part WHERE tag = ?1)`,
    tagId,
  ),
  ...['script', 'deployment', 'snapshot_part', 'host_claim'].map((table) =>
    toStatement(`DELETE FROM ${table} WHERE tag = ?`, tagId),
  ),
]
