import type {
  ApplicationRecord,
  DeviceRecord,
  EmailChange,
  InvitationRecord,
  IssuedToken,
  MemberRecord,
  OAuthArtifact,
  SessionRecord,
  SignInLinkRecord,
} from '#store/accounts.ts'
import { orNull, parseJson, type RowMapping, withoutNulls } from './rowMappings.ts'
import type { SqlRow } from './sql.ts'

export const member: RowMapping<MemberRecord> = {
  columns: ({ teamId, personId, role, createdAt }) => ({ team: teamId, person: personId, role, created_at: createdAt }),
  read: (row) =>
    withoutNulls<MemberRecord>({ teamId: row.team, personId: row.person, role: row.role, createdAt: row.created_at }),
}

export const invitation: RowMapping<InvitationRecord> = {
  columns: ({ invitationId, teamId, role, hash, by, createdAt, expiresAt, personId, application: applicationId }) => ({
    id: invitationId,
    team: teamId,
    role,
    hash,
    by,
    person: orNull(personId),
    application: orNull(applicationId),
    created_at: createdAt,
    expires_at: expiresAt,
  }),
  read: (row) =>
    withoutNulls<InvitationRecord>({
      invitationId: row.id,
      teamId: row.team,
      role: row.role,
      hash: row.hash,
      by: row.by,
      personId: row.person,
      application: row.application,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }),
}

export const signInLink: RowMapping<SignInLinkRecord> = {
  columns: ({ hash, personId, expiresAt }) => ({ hash, person: personId, expires_at: expiresAt }),
  read: (row) => withoutNulls<SignInLinkRecord>({ hash: row.hash, personId: row.person, expiresAt: row.expires_at }),
}

export const session: RowMapping<SessionRecord> = {
  columns: ({ hash, personId, createdAt, expiresAt, byLink }) => ({
    hash,
    person: personId,
    created_at: createdAt,
    expires_at: expiresAt,
    by_link: byLink ? 1 : null,
  }),
  read: (row) =>
    withoutNulls<SessionRecord>({
      hash: row.hash,
      personId: row.person,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      byLink: row.by_link === null ? null : true,
    }),
}

export const device: RowMapping<DeviceRecord> = {
  columns: ({ deviceId, personId, createdAt, seenAt, expiresAt, browser, system }) => ({
    id: deviceId,
    person: personId,
    created_at: createdAt,
    seen_at: seenAt,
    expires_at: expiresAt,
    browser,
    system,
  }),
  read: (row) =>
    withoutNulls<DeviceRecord>({
      deviceId: row.id,
      personId: row.person,
      createdAt: row.created_at,
      seenAt: row.seen_at,
      expiresAt: row.expires_at,
      browser: row.browser,
      system: row.system,
    }),
}

export const emailChange: RowMapping<EmailChange> = {
  columns: ({ personId, sealed, link, createdAt, expiresAt }) => ({
    person: personId,
    sealed,
    link: orNull(link),
    created_at: createdAt,
    expires_at: expiresAt,
  }),
  read: (row) =>
    withoutNulls<EmailChange>({
      personId: row.person,
      sealed: row.sealed,
      link: row.link,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }),
}

export const secretColumns = ({
  secretHash,
  secretBefore,
}: Pick<ApplicationRecord, 'secretHash' | 'secretBefore'>) => ({
  secret_hash: orNull(secretHash),
  old_secret_hash: orNull(secretBefore?.hash),
  old_secret_until: orNull(secretBefore?.until),
})

export const application: RowMapping<ApplicationRecord> = {
  columns: (each) => ({
    id: each.applicationId,
    team: each.teamId,
    name: each.name,
    redirect_uris: JSON.stringify(each.redirectUris),
    scopes: JSON.stringify(each.scopes),
    ...secretColumns(each),
    created_at: each.createdAt,
    approved_at: orNull(each.approvedAt),
  }),
  read: (row) =>
    withoutNulls<ApplicationRecord>({
      applicationId: row.id,
      teamId: row.team,
      name: row.name,
      redirectUris: parseJson(row.redirect_uris),
      scopes: parseJson(row.scopes),
      secretHash: row.secret_hash,
      secretBefore: row.old_secret_hash === null ? null : { hash: row.old_secret_hash, until: row.old_secret_until },
      createdAt: row.created_at,
      approvedAt: row.approved_at,
    }),
}

export const artifact: RowMapping<OAuthArtifact> = {
  columns: ({ kind, key, grantKey, actor, application: applicationId, tokenId, sealed, expiresAt }) => ({
    kind,
    key,
    grant_key: orNull(grantKey),
    actor: orNull(actor),
    application: orNull(applicationId),
    token: orNull(tokenId),
    sealed,
    expires_at: expiresAt,
  }),
  read: (row) =>
    withoutNulls<OAuthArtifact>({
      kind: row.kind,
      key: row.key,
      grantKey: row.grant_key,
      actor: row.actor,
      application: row.application,
      tokenId: row.token,
      sealed: row.sealed,
      expiresAt: row.expires_at,
    }),
}

export const readIssuedToken = (row: SqlRow) =>
  withoutNulls<IssuedToken>({
    tokenId: row.id,
    scopes: parseJson(row.scopes),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  })
