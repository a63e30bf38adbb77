import type { SQLInputValue } from 'node:sqlite'
import type { Statement } from '#kit/writeBatch.ts'
import type { AccountChange, AccountStore, ArtifactSelector } from '#store/accounts.ts'
import {
  application,
  artifact,
  emailChange,
  invitation,
  member,
  readIssuedToken,
  secretColumns,
  session,
  signInLink,
} from './accountMappings.ts'
import { orNull, person, type RowMapping } from './rowMappings.ts'
import { readPage, type SqlReader, type SqlRow } from './sqlReader.ts'
import { insertRow, upsertRow } from './writeRow.ts'

const toStatement = (sql: string, ...params: SQLInputValue[]): Statement => ({ sql, rows: [params] })

function artifactCondition(selector: ArtifactSelector): [condition: string, ...params: SQLInputValue[]] {
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

function insertStatement(change: Extract<AccountChange, { add: string }>): Statement {
  switch (change.add) {
    case 'member':
      return insertRow('member', member.columns(change.row))
    case 'invitation':
      return insertRow('invitation', invitation.columns(change.row))
    case 'signInLink':
      return insertRow('sign_in_link', signInLink.columns(change.row))
    case 'session':
      return insertRow('session', session.columns(change.row))
    case 'application':
      return insertRow('application', application.columns(change.row))
  }
}

function upsertStatement(change: Extract<AccountChange, { put: string }>): Statement {
  switch (change.put) {
    case 'person':
      return upsertRow('person', 'id', person.columns(change.row))
    case 'emailChange':
      return upsertRow('email_change', 'person', emailChange.columns(change.row))
    case 'member':
      return upsertRow('member', 'team, person', member.columns(change.row))
    case 'clientSecret': {
      const [now, before, until] = Object.values(secretColumns(change.row))
      const sql = 'UPDATE application SET secret_hash = ?, old_secret_hash = ?, old_secret_until = ? WHERE id = ?'
      return toStatement(sql, now!, before!, until!, change.row.applicationId)
    }
    case 'artifact':
      return upsertRow('artifact', 'kind, key', artifact.columns(change.row))
  }
}

function deleteStatement(change: Extract<AccountChange, { drop: string }>): Statement {
  switch (change.drop) {
    case 'member':
      return toStatement('DELETE FROM member WHERE team = ? AND person = ?', change.teamId, change.personId)
    case 'invitation':
      return toStatement('DELETE FROM invitation WHERE id = ?', change.invitationId)
    case 'emailChange':
      return toStatement('DELETE FROM email_change WHERE person = ?', change.personId)
    case 'session':
      return toStatement('DELETE FROM session WHERE hash = ?', change.hash)
    case 'sessionsOf':
      return toStatement('DELETE FROM session WHERE person = ? AND hash IS NOT ?', change.personId, orNull(change.but))
    case 'application':
      return toStatement('DELETE FROM application WHERE id = ?', change.applicationId)
    case 'artifacts': {
      const [condition, ...params] = artifactCondition(change.selector)
      return toStatement(`DELETE FROM artifact WHERE ${condition}`, ...params)
    }
  }
}

function expireStatement({ sweep, before }: Extract<AccountChange, { sweep: string }>): Statement {
  const flowCondition = sweep === 'token' ? 'id IN (SELECT token FROM artifact WHERE expires_at < ?1) AND' : ''
  return toStatement(`DELETE FROM ${sweep} WHERE ${flowCondition} expires_at < ?1`, before)
}

/** The statement of an account change. */
export function accountStatement(change: AccountChange): Statement {
  if ('add' in change) return insertStatement(change)
  if ('put' in change) return upsertStatement(change)
  if ('drop' in change) return deleteStatement(change)
  if ('sweep' in change) return expireStatement(change)
  if ('revoke' in change) return revokeStatement(change.selector, change.at)
  if ('use' in change) return insertRow('used', { hash: change.hash, expires_at: change.expiresAt })
  const sql = 'UPDATE application SET approved_at = coalesce(approved_at, ?) WHERE id = ?'
  return toStatement(sql, change.at, change.applicationId)
}

/** The tokens of an application itself have no actor. */
const actor = (row: SqlRow) => (row.actor === null ? undefined : String(row.actor))

const selectIssuedTokens = `
  SELECT * FROM token WHERE application = ? AND revoked_at IS NULL AND expires_at > ?
  AND NOT EXISTS (SELECT 1 FROM artifact WHERE artifact.token = token.id) ORDER BY no`

export function createAccountStore(read: SqlReader): AccountStore {
  const first = <Noun>(
    shape: Pick<RowMapping<Noun>, 'read'>,
    sql: string,
    ...params: SQLInputValue[]
  ): Noun | undefined => {
    const row = read.one(sql, ...params)
    return row && shape.read(row)
  }
  const all = <Noun>(shape: Pick<RowMapping<Noun>, 'read'>, sql: string, ...params: SQLInputValue[]): Noun[] =>
    read.all(sql, ...params).map(shape.read)
  return {
    person: async (personId) => first(person, 'SELECT * FROM person WHERE id = ?', personId),
    personByEmail: async (emailKey) => first(person, 'SELECT * FROM person WHERE email_key = ?', emailKey),
    emailChange: async (personId) => first(emailChange, 'SELECT * FROM email_change WHERE person = ?', personId),
    emailChangeOf: async (link) => first(emailChange, 'SELECT * FROM email_change WHERE link = ?', link),
    emailChanges: async () => all(emailChange, 'SELECT * FROM email_change ORDER BY created_at, person'),
    member: async (teamId, personId) =>
      first(member, 'SELECT * FROM member WHERE team = ? AND person = ?', teamId, personId),
    members: async (teamId) => all(member, 'SELECT * FROM member WHERE team = ? ORDER BY created_at, person', teamId),
    memberships: async (personId) =>
      all(member, 'SELECT * FROM member WHERE person = ? ORDER BY created_at, team', personId),
    invitation: async (hash) => first(invitation, 'SELECT * FROM invitation WHERE hash = ?', hash),
    invitations: async (teamId) => all(invitation, 'SELECT * FROM invitation WHERE team = ? ORDER BY no', teamId),
    signInLink: async (hash) => first(signInLink, 'SELECT * FROM sign_in_link WHERE hash = ?', hash),
    session: async (hash) => first(session, 'SELECT * FROM session WHERE hash = ?', hash),
    sessionsOf: async (personId) =>
      all(session, 'SELECT * FROM session WHERE person = ? ORDER BY created_at DESC, hash', personId),
    application: async (id) => first(application, 'SELECT * FROM application WHERE id = ?', id),
    applications: async (teamId, page) => {
      const sql = 'SELECT * FROM application WHERE team = ?'
      return readPage(read, { sql, params: [teamId], columns: ['no'] }, page, application.read)
    },
    pendingApplications: async () =>
      all(application, 'SELECT * FROM application WHERE approved_at IS NULL ORDER BY no'),
    issuedTokens: async (applicationId, nowMs) =>
      all({ read: readIssuedToken }, selectIssuedTokens, applicationId, nowMs),
    artifact: async (kind, key) => first(artifact, 'SELECT * FROM artifact WHERE kind = ? AND key = ?', kind, key),
    actorOf: async (tokenId) => first({ read: actor }, 'SELECT actor FROM artifact WHERE token = ?', tokenId),
    grantsOf: async (personId) =>
      all(artifact, "SELECT * FROM artifact WHERE kind = 'Grant' AND actor GLOB ?", `${personId}/*`),
    isSecretUsed: async (hash) => read.one('SELECT 1 FROM used WHERE hash = ?', hash) !== undefined,
  }
}
