import type { SQLInputValue } from 'node:sqlite'
import type {
  Acceptance,
  AuditRow,
  Deployment,
  HookRecord,
  Person,
  PolicyVersion,
  ScriptRecord,
  SealingKeyPair,
  SecretVersion,
  TagRecord,
  Team,
  Token,
} from '#store/store.ts'
import type { Row } from './read.ts'

/** The columns of a row that is written. */
export type Columns = Record<string, SQLInputValue>

export const orNull = <Value extends SQLInputValue>(value: Value | undefined): Value | null => value ?? null
export const parsed = (text: unknown): unknown => JSON.parse(String(text))

/** An object of the store out of columns: what is null is absent. */
export const present = <Out extends object>(fields: Record<keyof Out, unknown>): Out =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Out

/** How one noun lies in its table: there and back. */
export type Shape<Noun> = { columns(noun: Noun): Columns; read(row: Row): Noun }

export const team: Shape<Team> = {
  columns: ({ teamId, name, sealedKey, createdAt }) => ({
    id: teamId,
    name,
    sealed_key: sealedKey,
    created_at: createdAt,
  }),
  read: (row) =>
    present<Team>({ teamId: row.id, name: row.name, sealedKey: row.sealed_key, createdAt: row.created_at }),
}

export const person: Shape<Person> = {
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
    present<Person>({
      personId: row.id,
      name: row.name,
      role: row.role,
      emailKey: row.email_key,
      sealed: row.sealed,
      password: row.password,
      createdAt: row.created_at,
    }),
}

export const token: Shape<Token> = {
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
    present<Token>({
      tokenId: row.id,
      teamId: row.team,
      application: row.application,
      hash: row.hash,
      scopes: parsed(row.scopes),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
    }),
}

export const tag: Shape<TagRecord> = {
  columns: ({ tagId, teamId, name, settings, createdAt }) => ({
    id: tagId,
    team: teamId,
    name,
    settings: JSON.stringify(settings),
    created_at: createdAt,
  }),
  read: (row) =>
    present<TagRecord>({
      tagId: row.id,
      teamId: row.team,
      name: row.name,
      settings: parsed(row.settings),
      createdAt: row.created_at,
    }),
}

export const script: Shape<ScriptRecord> = {
  columns: (each) => ({
    id: each.scriptId,
    tag: each.tagId,
    team: each.teamId,
    name: each.name,
    provider: each.providerId,
    consent_category: orNull(each.consentCategory),
    geo_regions: orNull(each.geoRegions),
    purchase_value_mode: orNull(each.purchaseValueMode),
    paused: each.paused ? 1 : null,
    secrets: JSON.stringify(each.secrets),
    created_at: each.createdAt,
  }),
  read: (row) =>
    present<ScriptRecord>({
      scriptId: row.id,
      tagId: row.tag,
      teamId: row.team,
      name: row.name,
      providerId: row.provider,
      consentCategory: row.consent_category,
      geoRegions: row.geo_regions,
      purchaseValueMode: row.purchase_value_mode,
      paused: row.paused === 1 ? true : null,
      secrets: parsed(row.secrets),
      createdAt: row.created_at,
    }),
}

export const secret: Shape<SecretVersion> = {
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
    present<SecretVersion>({
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

export const deployment: Shape<Deployment> = {
  columns: ({ tagId, number, snapshot, by, createdAt, activates }) => ({
    tag: tagId,
    number,
    snapshot: JSON.stringify(snapshot),
    by,
    created_at: createdAt,
    activates: orNull(activates),
  }),
  read: (row) =>
    present<Deployment>({
      tagId: row.tag,
      number: row.number,
      snapshot: parsed(row.snapshot),
      by: row.by,
      createdAt: row.created_at,
      activates: row.activates,
    }),
}

export const hook: Shape<HookRecord> = {
  columns: ({ hookId, teamId, kind, url, sealedSecret, createdAt }) => ({
    id: hookId,
    team: teamId,
    kind,
    url,
    sealed_secret: sealedSecret,
    created_at: createdAt,
  }),
  read: (row) =>
    present<HookRecord>({
      hookId: row.id,
      teamId: row.team,
      kind: row.kind,
      url: row.url,
      sealedSecret: row.sealed_secret,
      createdAt: row.created_at,
    }),
}

export const sealingKey: Shape<SealingKeyPair> = {
  columns: ({ kid, state, publicJwk, sealedPrivate, createdAt, retiringAt }) => ({
    kid,
    state,
    public_jwk: publicJwk,
    sealed_private: sealedPrivate,
    created_at: createdAt,
    retiring_at: orNull(retiringAt),
  }),
  read: (row) =>
    present<SealingKeyPair>({
      kid: row.kid,
      state: row.state,
      publicJwk: row.public_jwk,
      sealedPrivate: row.sealed_private,
      createdAt: row.created_at,
      retiringAt: row.retiring_at,
    }),
}

export const policy: Shape<PolicyVersion> = {
  columns: ({ policyType, version, required, publishedAt }) => ({
    type: policyType,
    version,
    required: required ? 1 : 0,
    published_at: publishedAt,
  }),
  read: (row) =>
    present<PolicyVersion>({
      policyType: row.type,
      version: row.version,
      required: row.required === 1,
      publishedAt: row.published_at,
    }),
}

export const acceptance: Shape<Acceptance> = {
  columns: ({ teamId, policyType, version, by, at, from }) => ({
    team: teamId,
    type: policyType,
    version,
    by,
    at,
    from: orNull(from),
  }),
  read: (row) =>
    present<Acceptance>({
      teamId: row.team,
      policyType: row.type,
      version: row.version,
      by: row.by,
      at: row.at,
      from: row.from,
    }),
}

export const audit: Shape<AuditRow> = {
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
    present<AuditRow>({
      at: row.at,
      by: row.by,
      what: row.what,
      teamId: row.team,
      object: row.object,
      from: row.from,
      before: row.before === null ? null : parsed(row.before),
      after: row.after === null ? null : parsed(row.after),
    }),
}
