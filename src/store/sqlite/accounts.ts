import type { SQLInputValue } from 'node:sqlite'
import type { Statement } from '#kit/units.ts'
import type { AccountChange, Accounts, Ending } from '#store/accounts.ts'
import {
  application,
  artifact,
  emailChange,
  invitation,
  issuedToken,
  member,
  secretColumns,
  session,
  signInLink,
} from './accountRows.ts'
import { insert, put } from './insert.ts'
import { type Read, type Row, readPage } from './read.ts'
import { orNull, person, type Shape } from './rows.ts'

const run = (sql: string, ...params: SQLInputValue[]): Statement => ({ sql, rows: [params] })

function whereEnds(ending: Ending): [condition: string, ...params: SQLInputValue[]] {
  switch (ending.of) {
    case 'grant':
      return ['kind = ? AND grant_key = ?', ending.kind, ending.grantKey]
    case 'wholeGrant':
      return ["(grant_key = ? OR (kind = 'Grant' AND key = ?))", ending.grantKey, ending.grantKey]
    case 'actor':
      return ['actor = ?', ending.actor]
    case 'application':
      return ['application = ?', ending.applicationId]
    case 'artifact':
      return ['kind = ? AND key = ?', ending.kind, ending.key]
  }
}

function revocation(ending: Ending, at: number): Statement {
  if (ending.of === 'application')
    return run('UPDATE token SET revoked_at = coalesce(revoked_at, ?) WHERE application = ?', at, ending.applicationId)
  const [condition, ...params] = whereEnds(ending)
  const tokens = `SELECT token FROM artifact WHERE ${condition}`
  return run(`UPDATE token SET revoked_at = coalesce(revoked_at, ?) WHERE id IN (${tokens})`, at, ...params)
}

function addition(change: Extract<AccountChange, { add: string }>): Statement {
  switch (change.add) {
    case 'member':
      return insert('member', member.columns(change.row))
    case 'invitation':
      return insert('invitation', invitation.columns(change.row))
    case 'signInLink':
      return insert('sign_in_link', signInLink.columns(change.row))
    case 'session':
      return insert('session', session.columns(change.row))
    case 'application':
      return insert('application', application.columns(change.row))
  }
}

function placing(change: Extract<AccountChange, { put: string }>): Statement {
  switch (change.put) {
    case 'person':
      return put('person', 'id', person.columns(change.row))
    case 'emailChange':
      return put('email_change', 'person', emailChange.columns(change.row))
    case 'member':
      return put('member', 'team, person', member.columns(change.row))
    case 'clientSecret': {
      const [now, before, until] = Object.values(secretColumns(change.row))
      const sql = 'UPDATE application SET secret_hash = ?, old_secret_hash = ?, old_secret_until = ? WHERE id = ?'
      return run(sql, now!, before!, until!, change.row.applicationId)
    }
    case 'artifact':
      return put('artifact', 'kind, key', artifact.columns(change.row))
  }
}

function dropping(change: Extract<AccountChange, { drop: string }>): Statement {
  switch (change.drop) {
    case 'member':
      return run('DELETE FROM member WHERE team = ? AND person = ?', change.teamId, change.personId)
    case 'invitation':
      return run('DELETE FROM invitation WHERE id = ?', change.invitationId)
    case 'emailChange':
      return run('DELETE FROM email_change WHERE person = ?', change.personId)
    case 'session':
      return run('DELETE FROM session WHERE hash = ?', change.hash)
    case 'sessionsOf':
      return run('DELETE FROM session WHERE person = ? AND hash IS NOT ?', change.personId, orNull(change.but))
    case 'application':
      return run('DELETE FROM application WHERE id = ?', change.applicationId)
    case 'artifacts': {
      const [condition, ...params] = whereEnds(change.ending)
      return run(`DELETE FROM artifact WHERE ${condition}`, ...params)
    }
  }
}

function sweeping({ sweep, before }: Extract<AccountChange, { sweep: string }>): Statement {
  const ofFlows = sweep === 'token' ? 'id IN (SELECT token FROM artifact WHERE expires_at < ?1) AND' : ''
  return run(`DELETE FROM ${sweep} WHERE ${ofFlows} expires_at < ?1`, before)
}

/** What is to be run for a change of accounts. */
export function accountStatement(change: AccountChange): Statement {
  if ('add' in change) return addition(change)
  if ('put' in change) return placing(change)
  if ('drop' in change) return dropping(change)
  if ('sweep' in change) return sweeping(change)
  if ('revoke' in change) return revocation(change.ending, change.at)
  if ('use' in change) return insert('used', { hash: change.hash, expires_at: change.expiresAt })
  const sql = 'UPDATE application SET approved_at = coalesce(approved_at, ?) WHERE id = ?'
  return run(sql, change.at, change.applicationId)
}

/** Of an application's own token there is none. */
const actor = (row: Row) => (row.actor === null ? undefined : String(row.actor))

const issued = `
  SELECT * FROM token WHERE application = ? AND revoked_at IS NULL AND expires_at > ?
  AND NOT EXISTS (SELECT 1 FROM artifact WHERE artifact.token = token.id) ORDER BY no`

export function accountsOf(read: Read): Accounts {
  const first = <Noun>(shape: Pick<Shape<Noun>, 'read'>, sql: string, ...params: SQLInputValue[]): Noun | undefined => {
    const row = read.one(sql, ...params)
    return row && shape.read(row)
  }
  const all = <Noun>(shape: Pick<Shape<Noun>, 'read'>, sql: string, ...params: SQLInputValue[]): Noun[] =>
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
    application: async (id) => first(application, 'SELECT * FROM application WHERE id = ?', id),
    applications: async (teamId, page) => {
      const sql = 'SELECT * FROM application WHERE team = ?'
      return readPage(read, { sql, params: [teamId], columns: ['no'] }, page, application.read)
    },
    unapproved: async () => all(application, 'SELECT * FROM application WHERE approved_at IS NULL ORDER BY no'),
    issuedTokens: async (applicationId, nowMs) => all({ read: issuedToken }, issued, applicationId, nowMs),
    artifact: async (kind, key) => first(artifact, 'SELECT * FROM artifact WHERE kind = ? AND key = ?', kind, key),
    actorOf: async (tokenId) => first({ read: actor }, 'SELECT actor FROM artifact WHERE token = ?', tokenId),
    grantsOf: async (personId) =>
      all(artifact, "SELECT * FROM artifact WHERE kind = 'Grant' AND actor GLOB ?", `${personId}/*`),
    isUsed: async (hash) => read.one('SELECT 1 FROM used WHERE hash = ?', hash) !== undefined,
  }
}
