import type { Statement } from '#kit/writeBatch.ts'
import type { StoreChange } from '#store/store.ts'
import { accountStatement } from './accountStatements.ts'
import { incidentStatement } from './incidentStore.ts'
import { orNull, type Table } from './rowMappings.ts'
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
import { deleteRuns } from './webhookRuns.ts'
import { type Dropped, deleteStatement, insertRow, updateRow, upsertRow } from './writeRow.ts'

/** Changes of the control tables that are one statement. */
export type ControlChange =
  | Extract<StoreChange, { add: 'team' | 'person' | 'token' | 'tag' | 'secret' | 'hook' | 'audit' | 'acceptance' }>
  | Exclude<Extract<StoreChange, { put: string }>, { put: 'hosts' | 'script' | 'orders' }>
  | Extract<StoreChange, { drop: 'hook' | 'policy' | 'sealingKey' }>
  | Extract<StoreChange, { revoke: 'token' } | { account: unknown } | { alerting: unknown }>

/** Keeps an existing row. */
const ifAbsent = ({ sql, rows }: Statement): Statement => ({ sql: `${sql} ON CONFLICT DO NOTHING`, rows })

const tableOfAdded: { [Change in Extract<ControlChange, { add: string }> as Change['add']]: Table<Change['row']> } = {
  team,
  person,
  token,
  tag,
  secret,
  hook,
  audit,
  acceptance,
}

function insertStatement({ add, row }: Extract<ControlChange, { add: string }>): Statement {
  const statement = insertRow(tableOfAdded[add], row)
  return add === 'acceptance' ? ifAbsent(statement) : statement
}

const tableOfPut = { tag, sealingKey, policy }

function putStatement(change: Extract<ControlChange, { put: string }>): Statement {
  switch (change.put) {
    case 'paused':
      return toStatement('UPDATE script SET paused = ? WHERE id = ?', change.paused ? 1 : null, change.scriptId)
    case 'teamKey':
      return toStatement('UPDATE team SET sealed_key = ? WHERE id = ?', change.sealedKey, change.teamId)
    case 'teamName':
      return toStatement('UPDATE team SET name = ? WHERE id = ?', change.name, change.teamId)
    case 'teamMute':
      return toStatement('UPDATE team SET alerts_muted_until = ? WHERE id = ?', orNull(change.until), change.teamId)
    case 'hostClaim':
      return updateRow(hostClaim, change.row)
    case 'setting':
      return upsertRow(setting, change)
    default:
      return upsertRow(tableOfPut[change.put], change.row)
  }
}

const dropped: Dropped<Extract<ControlChange, { drop: string }>> = {
  hook: ({ hookId }) => ['hook WHERE id = ?', hookId],
  policy: ({ policyType, version }) => ['policy WHERE type = ? AND version = ?', policyType, version],
  sealingKey: ({ kid }) => ['sealing_key WHERE kid = ?', kid],
}

export function controlStatement(change: ControlChange): Statement {
  if ('account' in change) return accountStatement(change.account)
  if ('alerting' in change) return incidentStatement(change.alerting)
  if ('add' in change) return insertStatement(change)
  if ('put' in change) return putStatement(change)
  if ('drop' in change) return deleteStatement(dropped, change)
  // Keeps the time of an earlier revocation.
  return toStatement('UPDATE token SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?', change.at, change.tokenId)
}

export const deleteScript = (scriptId: string): Statement[] => [
  ...deleteRuns('script', scriptId),
  toStatement('DELETE FROM script WHERE id = ?', scriptId),
]

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
