import type { SqlParam } from '#kit/writeBatch.ts'
import type {
  AuditRecord,
  DeploymentEntry,
  HookRecord,
  PersonRecord,
  PolicyAcceptance,
  PolicyVersion,
  RecordRevision,
  SealingKeyPair,
  SecretVersion,
  TagRecord,
  TeamRecord,
  TokenRecord,
} from '#store/store.ts'
import type { SqlRow } from './sql.ts'

/** The column values of a row to write. */
export type ColumnValues = Record<string, SqlParam>

export const orNull = <Value extends SqlParam>(value: Value | undefined): Value | null => value ?? null
export const parseJson = (text: unknown): unknown => JSON.parse(String(text))

/** Builds a record from columns. Null columns are left out. */
export const withoutNulls = <Out extends object>(fields: Record<keyof Out, unknown>): Out =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Out

/** Maps a record to its table row and back. */
export type RowMapping<Noun> = { columns(noun: Noun): ColumnValues; read(row: SqlRow): Noun }

export const team: RowMapping<TeamRecord> = {
  columns: ({ teamId, name, sealedKey, createdAt }) => ({
    id: teamId,
    name,
    sealed_key: sealedKey,
    created_at: createdAt,
  }),
  read: (row) =>
    withoutNulls<TeamRecord>({ teamId: row.id, name: row.name, sealedKey: row.sealed_key, createdAt: row.created_at }),
}

export const person: RowMapping<PersonRecord> = {
  columns: (each) => ({
    id: each.personId,
    name: each.name,
    role: each.role,
    email_key: orNull(each.emailKey),
    sealed: orNull(each.sealed),
    password: orNull(each.password),
    created_at: each.createdAt,
  }),
  read: (row) =>
    withoutNulls<PersonRecord>({
      personId: row.id,
      name: row.name,
      role: row.role,
      emailKey: row.email_key,
      sealed: row.sealed,
      password: row.password,
      createdAt: row.created_at,
    }),
}

export const token: RowMapping<TokenRecord> = {
  columns: (each) => ({
    id: each.tokenId,
    team: each.teamId,
    application: each.application,
    hash: each.hash,
    scopes: JSON.stringify(each.scopes),
    created_at: each.createdAt,
    expires_at: each.expiresAt,
    revoked_at: orNull(each.revokedAt),
  }),
  read: (row) =>
    withoutNulls<TokenRecord>({
      tokenId: row.id,
      teamId: row.team,
      application: row.application,
      hash: row.hash,
      scopes: parseJson(row.scopes),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
    }),
}

export const revisionColumns = ({ version, updatedAt, updatedBy }: RecordRevision): ColumnValues => ({
  version,
  updated_at: orNull(updatedAt),
  updated_by: orNull(updatedBy),
})
export const readRevision = (row: SqlRow) => ({
  version: row.version,
  updatedAt: row.updated_at,
  updatedBy: row.updated_by,
})

export const tag: RowMapping<TagRecord> = {
  columns: ({ tagId, teamId, name, settings, createdAt, ...revision }) => ({
    id: tagId,
    team: teamId,
    name,
    settings: JSON.stringify(settings),
    created_at: createdAt,
    ...revisionColumns(revision),
  }),
  read: (row) =>
    withoutNulls<TagRecord>({
      tagId: row.id,
      teamId: row.team,
      name: row.name,
      settings: parseJson(row.settings),
      createdAt: row.created_at,
      ...readRevision(row),
    }),
}

export const secret: RowMapping<SecretVersion> = {
  columns: (each) => ({
    secret: each.secretId,
    version: each.version,
    script: each.scriptId,
    variable: each.variable,
    type: each.type,
    wrapped_key: each.wrappedKey,
    ciphertext: each.ciphertext,
    created_at: each.createdAt,
  }),
  read: (row) =>
    withoutNulls<SecretVersion>({
      secretId: row.secret,
      version: row.version,
      scriptId: row.script,
      variable: row.variable,
      type: row.type,
      wrappedKey: row.wrapped_key,
      ciphertext: row.ciphertext,
      createdAt: row.created_at,
    }),
}

export const deployment: RowMapping<DeploymentEntry> = {
  columns: ({ tagId, number, parts, by, createdAt, activates }) => ({
    tag: tagId,
    number,
    parts: JSON.stringify(parts),
    by,
    created_at: createdAt,
    activates: orNull(activates),
  }),
  read: (row) =>
    withoutNulls<DeploymentEntry>({
      tagId: row.tag,
      number: row.number,
      parts: parseJson(row.parts),
      by: row.by,
      createdAt: row.created_at,
      activates: row.activates,
    }),
}

export const hook: RowMapping<HookRecord> = {
  columns: ({ hookId, teamId, kind, url, sealedSecret, createdAt }) => ({
    id: hookId,
    team: teamId,
    kind,
    url,
    sealed_secret: sealedSecret,
    created_at: createdAt,
  }),
  read: (row) =>
    withoutNulls<HookRecord>({
      hookId: row.id,
      teamId: row.team,
      kind: row.kind,
      url: row.url,
      sealedSecret: row.sealed_secret,
      createdAt: row.created_at,
    }),
}

export const sealingKey: RowMapping<SealingKeyPair> = {
  columns: ({ kid, state, publicJwk, sealedPrivate, createdAt, retiringAt }) => ({
    kid,
    state,
    public_jwk: publicJwk,
    sealed_private: sealedPrivate,
    created_at: createdAt,
    retiring_at: orNull(retiringAt),
  }),
  read: (row) =>
    withoutNulls<SealingKeyPair>({
      kid: row.kid,
      state: row.state,
      publicJwk: row.public_jwk,
      sealedPrivate: row.sealed_private,
      createdAt: row.created_at,
      retiringAt: row.retiring_at,
    }),
}

export const policy: RowMapping<PolicyVersion> = {
  columns: ({ policyType, version, required, publishedAt, url }) => ({
    type: policyType,
    version,
    required: required ? 1 : 0,
    published_at: publishedAt,
    url: orNull(url),
  }),
  read: (row) =>
    withoutNulls<PolicyVersion>({
      policyType: row.type,
      version: row.version,
      required: row.required === 1,
      publishedAt: row.published_at,
      url: row.url,
    }),
}

export const acceptance: RowMapping<PolicyAcceptance> = {
  columns: ({ teamId, policyType, version, by, at, from }) => ({
    team: teamId,
    type: policyType,
    version,
    by,
    at,
    from: orNull(from),
  }),
  read: (row) =>
    withoutNulls<PolicyAcceptance>({
      teamId: row.team,
      policyType: row.type,
      version: row.version,
      by: row.by,
      at: row.at,
      from: row.from,
    }),
}

export const audit: RowMapping<AuditRecord> = {
  columns: ({ at, by, what, teamId, object, from, before, after }) => ({
    at,
    by,
    what,
    team: orNull(teamId),
    object: orNull(object),
    from: orNull(from),
    before: before ? JSON.stringify(before) : null,
    after: after ? JSON.stringify(after) : null,
  }),
  read: (row) =>
    withoutNulls<AuditRecord>({
      at: row.at,
      by: row.by,
      what: row.what,
      teamId: row.team,
      object: row.object,
      from: row.from,
      before: row.before === null ? null : parseJson(row.before),
      after: row.after === null ? null : parseJson(row.after),
    }),
}
