import type { Statement, Unit } from '#kit/units.ts'
import type { Change } from '#store/store.ts'
import { accountStatement } from './accounts.ts'
import { addAlert } from './alerts.ts'
import { insert, put } from './insert.ts'
import { resumed } from './pauses.ts'
import { addRefusedCalls } from './refusedCalls.ts'
import { replay, stopReplay } from './replays.ts'
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
} from './rows.ts'
import { dropTag, putHostClaim, putHosts } from './tags.ts'
import { dropUser, eraseEvents, eraseJoins, eraseUser } from './users.ts'

/** Leaves a row that is there as it is. */
const first = ({ sql, rows }: Statement): Statement => ({ sql: `${sql} ON CONFLICT DO NOTHING`, rows })

function addition(change: Extract<OneStatement, { add: string }>): Statement {
  switch (change.add) {
    case 'team':
      return insert('team', team.columns(change.row))
    case 'person':
      return insert('person', person.columns(change.row))
    case 'token':
      return insert('token', token.columns(change.row))
    case 'tag':
      return insert('tag', tag.columns(change.row))
    case 'secret':
      return insert('secret_version', secret.columns(change.row))
    case 'deployment':
      return insert('deployment', deployment.columns(change.row))
    case 'hook':
      return insert('hook', hook.columns(change.row))
    case 'replay':
      return insert('replay', replay.columns(change.row))
    case 'audit':
      return insert('audit', audit.columns(change.row))
    case 'acceptance':
      return first(insert('acceptance', acceptance.columns(change.row)))
  }
}

function placing(change: Extract<OneStatement, { put: string }>): Statement {
  switch (change.put) {
    case 'tag':
      return put('tag', 'id', tag.columns(change.row))
    case 'script':
      return put('script', 'id', script.columns(change.row))
    case 'sealingKey':
      return put('sealing_key', 'kid', sealingKey.columns(change.row))
    case 'policy':
      return put('policy', 'type, version', policy.columns(change.row))
    case 'teamKey':
      return { sql: 'UPDATE team SET sealed_key = ? WHERE id = ?', rows: [[change.sealedKey, change.teamId]] }
    case 'setting':
      return put('setting', 'name', { name: change.name, value: change.value })
  }
}

function dropping(change: Extract<OneStatement, { drop: string }>): Statement {
  switch (change.drop) {
    case 'hook':
      return { sql: 'DELETE FROM hook WHERE id = ?', rows: [[change.hookId]] }
    case 'script':
      return { sql: 'DELETE FROM script WHERE id = ?', rows: [[change.scriptId]] }
    case 'pause':
      return resumed(change.scriptId)
    case 'sealingKey':
      return { sql: 'DELETE FROM sealing_key WHERE kid = ?', rows: [[change.kid]] }
  }
}

function erasing(change: Extract<Change, { erase: string }>): Unit {
  switch (change.erase) {
    case 'user':
      return eraseUser(change)
    case 'events':
      return eraseEvents(change)
    case 'joins':
      return eraseJoins(change)
  }
}

/** What is to be run for a change. */
export function statementsOf(change: Change): Unit {
  if ('add' in change && change.add === 'alert') return addAlert(change.row, change.hookIds)
  if ('add' in change && change.add === 'refusedCalls') return addRefusedCalls(change.rows)
  if ('stop' in change) return stopReplay(change.replayId)
  if ('erase' in change) return erasing(change)
  if ('drop' in change && change.drop === 'tag') return dropTag(change)
  if ('drop' in change && change.drop === 'user') return dropUser(change)
  if ('put' in change && change.put === 'hosts') return putHosts(change)
  if ('put' in change && change.put === 'hostClaim') return putHostClaim(change)
  return [statementOf(change)]
}

type OneStatement = Exclude<
  Change,
  | { drop: 'tag' | 'user' }
  | { erase: string }
  | { stop: string }
  | { add: 'alert' | 'refusedCalls' }
  | { put: 'hosts' | 'hostClaim' }
>

function statementOf(change: OneStatement): Statement {
  if ('account' in change) return accountStatement(change.account)
  if ('add' in change) return addition(change)
  if ('put' in change) return placing(change)
  if ('drop' in change) return dropping(change)
  // A token that was revoked before stays revoked since then.
  const sql = 'UPDATE token SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?'
  return { sql, rows: [[change.at, change.tokenId]] }
}
