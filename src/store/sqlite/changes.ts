import type { Statement } from '#kit/units.ts'
import type { Change } from '#store/store.ts'
import { auditColumns, type Columns, deployment, person, script, sealingKey, secret, tag, team, token } from './rows.ts'

const quoted = (columns: Columns) => Object.keys(columns).map((name) => `"${name}"`)

function insert(table: string, columns: Columns): Statement {
  const names = quoted(columns)
  const marks = names.map(() => '?').join(', ')
  return { sql: `INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`, rows: [Object.values(columns)] }
}

/** Takes the place of the row that has the same key. */
function put(table: string, key: string, columns: Columns): Statement {
  const { sql, rows } = insert(table, columns)
  const taken = quoted(columns).map((name) => `${name} = excluded.${name}`)
  return { sql: `${sql} ON CONFLICT (${key}) DO UPDATE SET ${taken.join(', ')}`, rows }
}

function addition(change: Extract<Change, { add: string }>): Statement {
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
    case 'audit':
      return insert('audit', auditColumns(change.row))
  }
}

function placing(change: Extract<Change, { put: string }>): Statement {
  switch (change.put) {
    case 'script':
      return put('script', 'id', script.columns(change.row))
    case 'sealingKey':
      return put('sealing_key', 'kid', sealingKey.columns(change.row))
    case 'setting':
      return put('setting', 'name', { name: change.name, value: change.value })
  }
}

/** What is to be run for a change. */
export function statementOf(change: Change): Statement {
  if ('add' in change) return addition(change)
  if ('put' in change) return placing(change)
  if ('drop' in change) return { sql: 'DELETE FROM script WHERE id = ?', rows: [[change.scriptId]] }
  // A token that was revoked before stays revoked since then.
  const sql = 'UPDATE token SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?'
  return { sql, rows: [[change.at, change.tokenId]] }
}
