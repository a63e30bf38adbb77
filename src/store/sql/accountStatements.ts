import type { SqlParam, Statement } from '#kit/writeBatch.ts'
import type { AccountChange, ArtifactSelector } from '#store/accounts.ts'
import { orNull, type Table } from './rowMappings.ts'
import { toStatement } from './sql.ts'
import {
  application,
  artifact,
  clientSecret,
  device,
  emailChange,
  invitation,
  member,
  person,
  session,
  signInLink,
} from './tables.ts'
import { type Dropped, deleteStatement, insertRow, updateRow, upsertRow } from './writeRow.ts'

function artifactCondition(selector: ArtifactSelector): [condition: string, ...params: SqlParam[]] {
  switch (selector.of) {
    case 'grant':
      return ['kind = ? AND grant_key = ?', selector.kind, selector.grantKey]
    case 'wholeGrant':
      return ["(grant_key = ? OR (kind = 'Grant' AND key = ?))", selector.grantKey, selector.grantKey]
    case 'actor':
      return ['actor = ?', selector.actor]
    case 'application':
      return ['application = ?', selector.applicationId]
    case 'artifact':
      return ['kind = ? AND key = ?', selector.kind, selector.key]
  }
}

function revokeStatement(selector: ArtifactSelector, at: number): Statement {
  if (selector.of === 'application')
    return toStatement(
      'UPDATE token SET revoked_at = coalesce(revoked_at, ?) WHERE application = ?',
      at,
      selector.applicationId,
    )
  const [condition, ...params] = artifactCondition(selector)
  const tokens = `SELECT token FROM artifact WHERE ${condition}`
  return toStatement(`UPDATE token SET revoked_at = coalesce(revoked_at, ?) WHERE id IN (${tokens})`, at, ...params)
}

const tableOfAdded: { [Change in Extract<AccountChange, { add: string }> as Change['add']]: Table<Change['row']> } = {
  member,
  invitation,
  signInLink,
  session,
  device,
  application,
}

const tableOfPut: { [Change in Extract<AccountChange, { put: string }> as Change['put']]: Table<Change['row']> } = {
  person,
  emailChange,
  member,
  clientSecret,
  artifact,
}

type Drop = Extract<AccountChange, { drop: string }>

/** What each change deletes. */
const dropped: Dropped<Drop> = {
  member: ({ teamId, personId }) => ['team_member WHERE team = ? AND person = ?', teamId, personId],
  invitation: ({ invitationId }) => ['invitation WHERE id = ?', invitationId],
  emailChange: ({ personId }) => ['email_change WHERE person = ?', personId],
  session: ({ hash, unless }) => {
    if (!unless) return ['session WHERE hash = ?', hash]
    const hasPassword = 'EXISTS (SELECT 1 FROM person WHERE id = ? AND password = ?)'
    return [`session WHERE hash = ? AND NOT ${hasPassword}`, hash, unless.personId, unless.password]
  },
  sessionsOf: ({ personId, but }) => ['session WHERE person = ? AND hash IS DISTINCT FROM ?', personId, orNull(but)],
  device: ({ personId, deviceId }) => ['device WHERE person = ? AND id = ?', personId, deviceId],
  devicesOf: ({ personId }) => ['device WHERE person = ?', personId],
  oldDevices: ({ personId, keep }) => {
    const kept = 'SELECT id FROM device WHERE person = ?1 ORDER BY seen_at DESC, id LIMIT ?2'
    return [`device WHERE person = ?1 AND id NOT IN (${kept})`, personId, keep]
  },
  application: ({ applicationId }) => ['application WHERE id = ?', applicationId],
  artifacts({ selector }) {
    const [condition, ...params] = artifactCondition(selector)
    return [`artifact WHERE ${condition}`, ...params]
  },
}

function expireStatement({ sweep, before }: Extract<AccountChange, { sweep: string }>): Statement {
  const flowCondition = sweep === 'token' ? 'id IN (SELECT token FROM artifact WHERE expires_at < ?1) AND' : ''
  return toStatement(`DELETE FROM ${sweep} WHERE ${flowCondition} expires_at < ?1`, before)
}

/** The statement of an account change. */
export function accountStatement(change: AccountChange): Statement {
  if ('lock' in change) return toStatement('UPDATE person SET id = id WHERE id = ?', change.personId)
  if ('add' in change) return insertRow(tableOfAdded[change.add], change.row)
  if ('put' in change)
    return (change.put === 'clientSecret' ? updateRow : upsertRow)(tableOfPut[change.put], change.row)
  if ('drop' in change) return deleteStatement(dropped, change)
  if ('sweep' in change) return expireStatement(change)
  if ('revoke' in change) return revokeStatement(change.selector, change.at)
  if ('use' in change)
    return toStatement('INSERT INTO used (hash, expires_at) VALUES (?, ?)', change.hash, change.expiresAt)
  const sql = 'UPDATE application SET approved_at = coalesce(approved_at, ?) WHERE id = ?'
  return toStatement(sql, change.at, change.applicationId)
}
