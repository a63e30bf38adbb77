import type {
  Application,
  Artifact,
  EmailChange,
  Invitation,
  IssuedToken,
  Member,
  Session,
  SignInLink,
} from '#store/accounts.ts'
import type { Row } from './read.ts'
import { orNull, parsed, present, type Shape } from './rows.ts'

export const member: Shape<Member> = {
  columns: ({ teamId, personId, role, createdAt }) => ({ team: teamId, person: personId, role, created_at: createdAt }),
  read: (row) => present<Member>({ teamId: row.team, personId: row.person, role: row.role, createdAt: row.created_at }),
}

export const invitation: Shape<Invitation> = {
  columns: ({ invitationId, teamId, role, hash, by, createdAt, expiresAt, personId, application: of }) => ({
    id: invitationId,
    team: teamId,
    role,
    hash,
    by,
    person: orNull(personId),
    application: orNull(of),
    created_at: createdAt,
    expires_at: expiresAt,
  }),
  read: (row) =>
    present<Invitation>({
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

export const signInLink: Shape<SignInLink> = {
  columns: ({ hash, personId, expiresAt }) => ({ hash, person: personId, expires_at: expiresAt }),
  read: (row) => present<SignInLink>({ hash: row.hash, personId: row.person, expiresAt: row.expires_at }),
}

export const session: Shape<Session> = {
  columns: ({ hash, personId, createdAt, expiresAt, byLink }) => ({
    hash,
    person: personId,
    created_at: createdAt,
    expires_at: expiresAt,
    by_link: byLink ? 1 : null,
  }),
  read: (row) =>
    present<Session>({
      hash: row.hash,
      personId: row.person,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      byLink: row.by_link === null ? null : true,
    }),
}

export const emailChange: Shape<EmailChange> = {
  columns: ({ personId, sealed, link, createdAt, expiresAt }) => ({
    person: personId,
    sealed,
    link: orNull(link),
    created_at: createdAt,
    expires_at: expiresAt,
  }),
  read: (row) =>
    present<EmailChange>({
      personId: row.person,
      sealed: row.sealed,
      link: row.link,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }),
}

export const secretColumns = ({ secretHash, secretBefore }: Pick<Application, 'secretHash' | 'secretBefore'>) => ({
  secret_hash: orNull(secretHash),
  old_secret_hash: orNull(secretBefore?.hash),
  old_secret_until: orNull(secretBefore?.until),
})

export const application: Shape<Application> = {
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
    present<Application>({
      applicationId: row.id,
      teamId: row.team,
      name: row.name,
      redirectUris: parsed(row.redirect_uris),
      scopes: parsed(row.scopes),
      secretHash: row.secret_hash,
      secretBefore: row.old_secret_hash === null ? null : { hash: row.old_secret_hash, until: row.old_secret_until },
      createdAt: row.created_at,
      approvedAt: row.approved_at,
    }),
}

export const artifact: Shape<Artifact> = {
  columns: ({ kind, key, grantKey, actor, application: of, tokenId, sealed, expiresAt }) => ({
    kind,
    key,
    grant_key: orNull(grantKey),
    actor: orNull(actor),
    application: orNull(of),
    token: orNull(tokenId),
    sealed,
    expires_at: expiresAt,
  }),
  read: (row) =>
    present<Artifact>({
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

export const issuedToken = (row: Row) =>
  present<IssuedToken>({
    tokenId: row.id,
    scopes: parsed(row.scopes),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  })
