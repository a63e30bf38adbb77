import type { Statement, WriteUnit } from '#kit/writeBatch.ts'
import type { StoreChange } from '#store/store.ts'
import { accountStatement } from './accountStore.ts'
import { insertAlert } from './alertStore.ts'
import { deletePauseStatement } from './channelPauses.ts'
import { intakeStatements } from './intakeTables.ts'
import { refusedCallStatements } from './refusedCalls.ts'
import { replayMapping, stopReplay } from './replayStore.ts'
import {
  acceptance,
  audit,
  deployment,
  hook,
  person,
  policy,
  script,
  sealingKey,
  secret,
  tag,
  team,
  token,
} from './rowMappings.ts'
import { deleteOldRuns, deleteRuns, runStatements } from './runTables.ts'
import { deleteTag, putHostClaim, replaceHosts } from './tagStatements.ts'
import { deleteUser, eraseEvents, eraseJoins, eraseUser } from './userStore.ts'
import { insertRow, upsertRow } from './writeRow.ts'

/** Keeps an existing row. */
const ifAbsent = ({ sql, rows }: Statement): Statement => ({ sql: `${sql} ON CONFLICT DO NOTHING`, rows })

function insertStatement(change: Extract<SingleStatementChange, { add: string }>): Statement {
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
    case 'deployment':
      return insertRow('deployment', deployment.columns(change.row))
    case 'hook':
      return insertRow('hook', hook.columns(change.row))
    case 'replay':
      return insertRow('replay', replayMapping.columns(change.row))
    case 'audit':
      return insertRow('audit', audit.columns(change.row))
    case 'acceptance':
      return ifAbsent(insertRow('acceptance', acceptance.columns(change.row)))
  }
}

function upsertStatement(change: Extract<SingleStatementChange, { put: string }>): Statement {
  switch (change.put) {
    case 'tag':
      return upsertRow('tag', 'id', tag.columns(change.row))
    case 'script':
      return upsertRow('script', 'id', script.columns(change.row))
    case 'sealingKey':
      return upsertRow('sealing_key', 'kid', sealingKey.columns(change.row))
    case 'policy':
      return upsertRow('policy', 'type, version', policy.columns(change.row))
    case 'teamKey':
      return { sql: 'UPDATE team SET sealed_key = ? WHERE id = ?', rows: [[change.sealedKey, change.teamId]] }
    case 'teamName':
      return { sql: 'UPDATE team SET name = ? WHERE id = ?', rows: [[change.name, change.teamId]] }
    case 'setting':
      return upsertRow('setting', 'name', { name: change.name, value: change.value })
  }
}

function deleteStatement(change: Extract<SingleStatementChange, { drop: string }>): Statement {
  switch (change.drop) {
    case 'hook':
      return { sql: 'DELETE FROM hook WHERE id = ?', rows: [[change.hookId]] }
    case 'pause':
      return deletePauseStatement(change.scriptId)
    case 'policy':
      return { sql: 'DELETE FROM policy WHERE type = ? AND version = ?', rows: [[change.policyType, change.version]] }
    case 'sealingKey':
      return { sql: 'DELETE FROM sealing_key WHERE kid = ?', rows: [[change.kid]] }
  }
}

function eraseStatements(change: Extract<StoreChange, { erase: string }>): WriteUnit {
  switch (change.erase) {
    case 'user':
      return eraseUser(change)
    case 'events':
      return eraseEvents(change)
    case 'joins':
      return eraseJoins(change)
  }
}

const deleteScript = (scriptId: string): WriteUnit => [
  ...deleteRuns('script', scriptId),
  { sql: 'DELETE FROM script WHERE id = ?', rows: [[scriptId]] },
]

/** The statements of a change. */
export function changeStatements(change: StoreChange): WriteUnit {
  if ('add' in change && change.add === 'alert') return insertAlert(change.row, change.hookIds)
  if ('add' in change && change.add === 'refusedCalls') return refusedCallStatements(change.rows)
  if ('add' in change && change.add === 'intake') return intakeStatements(change.batch)
  if ('add' in change && change.add === 'runs') return runStatements(change.rows)
  if ('stop' in change) return stopReplay(change.replayId)
  if ('erase' in change) return eraseStatements(change)
  if ('drop' in change && change.drop === 'tag') return [...deleteRuns('tag', change.tagId), ...deleteTag(change)]
  if ('drop' in change && change.drop === 'runs') return deleteOldRuns(change.before)
  if ('drop' in change && change.drop === 'script') return deleteScript(change.scriptId)
  if ('drop' in change && change.drop === 'user') return deleteUser(change)
  if ('put' in change && change.put === 'hosts') return replaceHosts(change)
  if ('put' in change && change.put === 'hostClaim') return putHostClaim(change)
  return [changeStatement(change)]
}

type SingleStatementChange = Exclude<
  StoreChange,
  | { drop: 'tag' | 'user' | 'script' | 'runs' }
  | { erase: string }
  | { stop: string }
  | { add: 'alert' | 'refusedCalls' | 'intake' | 'runs' }
  | { put: 'hosts' | 'hostClaim' }
>

function changeStatement(change: SingleStatementChange): Statement {
  if ('account' in change) return accountStatement(change.account)
  if ('add' in change) return insertStatement(change)
  if ('put' in change) return upsertStatement(change)
  if ('drop' in change) return deleteStatement(change)
  // Keeps the time of an earlier revocation.
  const sql = 'UPDATE token SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?'
  return { sql, rows: [[change.at, change.tokenId]] }
}
