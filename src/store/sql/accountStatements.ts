import type { SqlParam, WriteUnit } from '#kit/writeBatch.ts'
import type { AccountChange, ArtifactSelector } from '#store/accounts.ts'
import { type ChangeTable, writtenBy } from './changeTable.ts'
import { orNull } from './rowMappings.ts'
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
import { deleteRows, insertRow, updateRow, upsertRow } from './writeRow.ts'

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

/** Keeps the times of earlier revocations. */
function revokeTokens(selector: ArtifactSelector, at: number): WriteUnit {
  const revoke = 'UPDATE token SET revoked_at = coalesce(revoked_at, ?) WHERE'
  if (selector.of === 'application') return [toStatement(`${revoke} application = ?`, at, selector.applicationId)]
  const [condition, ...params] = artifactCondition(selector)
  return [toStatement(`${revoke} id IN (SELECT token FROM artifact WHERE ${condition})`, at, ...params)]
}

function dropSession({ hash, unless }: Extract<AccountChange, { drop: 'session' }>): WriteUnit {
  if (!unless) return deleteRows('session WHERE hash = ?', hash)
  const hasPassword = 'EXISTS (SELECT 1 FROM person WHERE id = ? AND password = ?)'
  return deleteRows(`session WHERE hash = ? AND NOT ${hasPassword}`, hash, unless.personId, unless.password)
}

const oldDevices = `
  device WHERE person = ?1 AND id NOT IN (SELECT id FROM device WHERE person = ?1 ORDER BY seen_at DESC, id LIMIT ?2)`

type Sweep = Extract<AccountChange, { sweep: string }>

const table: ChangeTable<Exclude<AccountChange, Sweep>, WriteUnit> = {
  'lock person': ({ personId }) => [toStatement('UPDATE person SET id = id WHERE id = ?', personId)],
  'put person': ({ row }) => upsertRow(person, row),
  'put emailChange': ({ row }) => upsertRow(emailChange, row),
  'drop emailChange': ({ personId }) => deleteRows('email_change WHERE person = ?', personId),
  'add member': ({ row }) => insertRow(member, row),
  'put member': ({ row }) => upsertRow(member, row),
  'drop member': ({ teamId, personId }) => deleteRows('team_member WHERE team = ? AND person = ?', teamId, personId),
  'add invitation': ({ row }) => insertRow(invitation, row),
  'drop invitation': ({ invitationId }) => deleteRows('invitation WHERE id = ?', invitationId),
  'add signInLink': ({ row }) => insertRow(signInLink, row),
  'add session': ({ row }) => insertRow(session, row),
  'drop session': dropSession,
  'drop sessionsOf': ({ personId, but }) =>
    deleteRows('session WHERE person = ? AND hash IS DISTINCT FROM ?', personId, orNull(but)),
  'add device': ({ row }) => insertRow(device, row),
  'drop device': ({ personId, deviceId }) => deleteRows('device WHERE person = ? AND id = ?', personId, deviceId),
  'drop devicesOf': ({ personId }) => deleteRows('device WHERE person = ?', personId),
  'drop oldDevices': ({ personId, keep }) => deleteRows(oldDevices, personId, keep),
  'add application': ({ row }) => insertRow(application, row),
  'approve application': ({ applicationId, at }) => [
    toStatement('UPDATE application SET approved_at = coalesce(approved_at, ?) WHERE id = ?', at, applicationId),
  ],
  'put clientSecret': ({ row }) => updateRow(clientSecret, row),
  'drop application': ({ applicationId }) => deleteRows('application WHERE id = ?', applicationId),
  'put artifact': ({ row }) => upsertRow(artifact, row),
  'revoke tokens': ({ selector, at }) => revokeTokens(selector, at),
  'drop artifacts'({ selector }) {
    const [condition, ...params] = artifactCondition(selector)
    return deleteRows(`artifact WHERE ${condition}`, ...params)
  },
  'use once': ({ hash, expiresAt }) => [
    toStatement('INSERT INTO used (hash, expires_at) VALUES (?, ?)', hash, expiresAt),
  ],
}
const written = writtenBy(table)

function sweepRows({ sweep, before }: Sweep): WriteUnit {
  const ofFlows = sweep === 'token' ? 'id IN (SELECT token FROM artifact WHERE expires_at < ?1) AND' : ''
  return deleteRows(`${sweep} WHERE ${ofFlows} expires_at < ?1`, before)
}

/** The statements of an account change. */
export const accountStatements = (change: AccountChange): WriteUnit =>
  'sweep' in change ? sweepRows(change) : written(change)
