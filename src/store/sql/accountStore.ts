import type { AccountStore } from '#store/accounts.ts'
import { readAll, readFirst } from './controlReads.ts'
import { readPageOf, rowsOf } from './page.ts'
import type { SqlReads, SqlRow } from './sql.ts'
import {
  application,
  artifact,
  device,
  emailChange,
  invitation,
  issuedToken,
  member,
  person,
  session,
  signInLink,
} from './tables.ts'

/** Tokens of an application itself have no actor. */
const actor = (row: SqlRow) => (row.actor === null ? undefined : String(row.actor))

const selectIssuedTokens = `
  SELECT * FROM token WHERE application = ? AND revoked_at IS NULL AND expires_at > ?
  AND NOT EXISTS (SELECT 1 FROM artifact WHERE artifact.token = token.id) ORDER BY no`

/** Actors are `person/team`: this ends a range of all teams of a person. */
const afterSlash = String.fromCharCode('/'.charCodeAt(0) + 1)
const selectGrants = "SELECT * FROM artifact WHERE kind = 'Grant' AND actor >= ? AND actor < ?"

export function createAccountStore(reads: SqlReads): AccountStore {
  const [first, all] = [readFirst(reads), readAll(reads)]
  return {
    person: (personId) => first(person, 'SELECT * FROM person WHERE id = ?', personId),
    personByEmail: (emailKey) => first(person, 'SELECT * FROM person WHERE email_key = ?', emailKey),
    emailChange: (personId) => first(emailChange, 'SELECT * FROM email_change WHERE person = ?', personId),
    emailChangeOf: (link) => first(emailChange, 'SELECT * FROM email_change WHERE link = ?', link),
    emailChanges: () => all(emailChange, 'SELECT * FROM email_change ORDER BY created_at, person'),
    member: (teamId, personId) =>
      first(member, 'SELECT * FROM team_member WHERE team = ? AND person = ?', teamId, personId),
    members: (teamId) => all(member, 'SELECT * FROM team_member WHERE team = ? ORDER BY created_at, person', teamId),
    memberships: (personId) =>
      all(member, 'SELECT * FROM team_member WHERE person = ? ORDER BY created_at, team', personId),
    invitation: (hash) => first(invitation, 'SELECT * FROM invitation WHERE hash = ?', hash),
    invitations: (teamId) => all(invitation, 'SELECT * FROM invitation WHERE team = ? ORDER BY no', teamId),
    signInLink: (hash) => first(signInLink, 'SELECT * FROM sign_in_link WHERE hash = ?', hash),
    session: (hash) => first(session, 'SELECT * FROM session WHERE hash = ?', hash),
    sessionsOf: (personId) =>
      all(session, 'SELECT * FROM session WHERE person = ? ORDER BY created_at DESC, hash', personId),
    device: (id) => first(device, 'SELECT * FROM device WHERE id = ?', id),
    devicesOf: (personId) => all(device, 'SELECT * FROM device WHERE person = ? ORDER BY seen_at DESC, id', personId),
    application: (id) => first(application, 'SELECT * FROM application WHERE id = ?', id),
    applications: (teamId, page) => readPageOf(reads, rowsOf('application', 'team', teamId), page, application.read),
    pendingApplications: () => all(application, 'SELECT * FROM application WHERE approved_at IS NULL ORDER BY no'),
    issuedTokens: (applicationId, nowMs) => all(issuedToken, selectIssuedTokens, applicationId, nowMs),
    artifact: (kind, key) => first(artifact, 'SELECT * FROM artifact WHERE kind = ? AND key = ?', kind, key),
    actorOf: (tokenId) => first({ read: actor }, 'SELECT actor FROM artifact WHERE token = ?', tokenId),
    grantsOf: (personId) => all(artifact, selectGrants, `${personId}/`, `${personId}${afterSlash}`),
    isSecretUsed: async (hash) => (await reads.one('SELECT 1 FROM used WHERE hash = ?', hash)) !== undefined,
  }
}
