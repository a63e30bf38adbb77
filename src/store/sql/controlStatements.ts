import type { Statement } from '#kit/writeBatch.ts'
import type { StoreChange } from '#store/store.ts'
import { accountStatement } from './accountStatements.ts'
import { putHostClaim } from './hostClaims.ts'
import { acceptance, audit, hook, person, policy, sealingKey, secret, tag, team, token } from './rowMappings.ts'
import { toStatement } from './sql.ts'
import { deleteRuns } from './webhookRuns.ts'
import { insertRow, upsertRow } from './writeRow.ts'

/** The changes that are one statement on the control tables. */
export type ControlChange =
  | Extract<StoreChange, { add: 'team' | 'person' | 'token' | 'tag' | 'secret' | 'hook' | 'audit' | 'acceptance' }>
  | Exclude<Extract<StoreChange, { put: string }>, { put: 'hosts' | 'script' | 'orders' }>
  | Extract<StoreChange, { drop: 'hook' | 'policy' | 'sealingKey' }>
  | Extract<StoreChange, { revoke: 'token' } | { account: unknown }>

/** Keeps an existing row. */
const ifAbsent = ({ sql, rows }: Statement): Statement => ({ sql: `${sql} ON CONFLICT DO NOTHING`, rows })

function insertStatement(change: Extract<ControlChange, { add: string }>): Statement {
  switch (change.add) {
    case 'team':
      return insertRow('team', team.columns(change.row))
    case 'person':
      return insertRow('person', person.columns(change.row))
    case 'token':
      return insertRow('token', token.columns(change.row))
    case 'tag':
      return insertRow('tag', tag.columns(change.row))
    case 'secret':
      return insertRow('secret_version', secret.columns(change.row))
    case 'hook':
      return insertRow('hook', hook.columns(change.row))
    case 'audit':
      return insertRow('audit', audit.columns(change.row))
    case 'acceptance':
      return ifAbsent(insertRow('acceptance', acceptance.columns(change.row)))
  }
}

function upsertStatement(change: Extract<ControlChange, { put: string }>): Statement {
  switch (change.put) {
    case 'tag':
      return upsertRow('tag', 'id', tag.columns(change.row))
    case 'paused':
      return toStatement('UPDATE script SET paused = ? WHERE id = ?', change.paused ? 1 : null, change.scriptId)
    case 'sealingKey':
      return upsertRow('sealing_key', 'kid', sealingKey.columns(change.row))
    case 'policy':
      return upsertRow('policy', 'type, version', policy.columns(change.row))
    case 'teamKey':
      return toStatement('UPDATE team SET sealed_key = ? WHERE id = ?', change.sealedKey, change.teamId)
    case 'teamName':
      return toStatement('UPDATE team SET name = ? WHERE id = ?', change.name, change.teamId)
    case 'hostClaim':
      return putHostClaim(change)
    case 'setting':
      return upsertRow('setting', 'name', { name: change.name, value: change.value })
  }
}

function deleteStatement(change: Extract<ControlChange, { drop: string }>): Statement {
  switch (change.drop) {
    case 'hook':
      return toStatement('DELETE FROM hook WHERE id = ?', change.hookId)
    case 'policy':
      return toStatement('DELETE FROM policy WHERE type = ? AND version = ?', change.policyType, change.version)
    case 'sealingKey':
      return toStatement('DELETE FROM sealing_key WHERE kid = ?', change.kid)
  }
}

/** The statement of a change. */
export function controlStatement(change: ControlChange): Statement {
  if ('account' in change) return accountStatement(change.account)
  if ('add' in change) return insertStatement(change)
  if ('put' in change) return upsertStatement(change)
  if ('drop' in change) return deleteStatement(change)
  // Keeps the time of an earlier revocation.
  return toStatement('UPDATE token SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?', change.at, change.tokenId)
}

export const deleteScript = (scriptId: string): Statement[] => [
  ...deleteRuns('script', scriptId),
  toStatement('DELETE FROM script WHERE id = ?', scriptId),
]

/** Deletes the rows of a tag except its own, its users and its runs, in this order because of the foreign keys. */
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
