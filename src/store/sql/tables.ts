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
import type { AlertNotification, AlertRecord } from '#store/alerts.ts'
import type { AlertRuleRecord, ContactPointRecord } from '#store/incidents.ts'
import type { ReplayRecord } from '#store/replays.ts'
import type {
  AuditRecord,
  DeploymentEntry,
  HookRecord,
  HostClaim,
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
import { flag, json, mapRow, orNull, type RowMapping, table } from './rowMappings.ts'

export const team = table<TeamRecord>('team', 'id', {
  teamId: 'id',
  name: 'name',
  sealedKey: 'sealed_key',
  createdAt: 'created_at',
  alertsMutedUntil: 'alerts_muted_until',
})

export const person = table<PersonRecord>('person', 'id', {
  personId: 'id',
  name: 'name',
  role: 'role',
  emailKey: 'email_key',
  sealed: 'sealed',
  password: 'password',
  createdAt: 'created_at',
})

const tokenId = { tokenId: 'id' }
const validity = { createdAt: 'created_at', expiresAt: 'expires_at' }
export const token = table<TokenRecord>('token', 'id', {
  ...tokenId,
  teamId: 'team',
  application: 'application',
  hash: 'hash',
  scopes: json('scopes'),
  ...validity,
  revokedAt: 'revoked_at',
})
export const issuedToken = mapRow<IssuedToken>({ ...tokenId, scopes: json('scopes'), ...validity })

export const revision = { version: 'version', updatedAt: 'updated_at', updatedBy: 'updated_by' } satisfies Record<
  keyof RecordRevision,
  string
>
export const tag = table<TagRecord>('tag', 'id', {
  tagId: 'id',
  teamId: 'team',
  name: 'name',
  settings: json('settings'),
  createdAt: 'created_at',
  ...revision,
})

export const secret = table<SecretVersion>('secret_version', 'secret, version', {
  secretId: 'secret',
  version: 'version',
  scriptId: 'script',
  variable: 'variable',
  type: 'type',
  wrappedKey: 'wrapped_key',
  ciphertext: 'ciphertext',
  createdAt: 'created_at',
})

export const deployment = table<DeploymentEntry>('deployment', 'tag, number', {
  tagId: 'tag',
  number: 'number',
  parts: json('parts'),
  by: 'by',
  createdAt: 'created_at',
  activates: 'activates',
})

export const hostClaim = table<HostClaim>('host_claim', 'tag, name', {
  tagId: 'tag',
  host: 'name',
  claimedAt: 'claimed_at',
  provedSince: 'proved_since',
  provedAt: 'proved_at',
  checkedAt: 'checked_at',
  isMissing: flag('is_missing'),
})

export const hook = table<HookRecord>('hook', 'id', {
  hookId: 'id',
  teamId: 'team',
  kind: 'kind',
  url: 'url',
  sealedSecret: 'sealed_secret',
  createdAt: 'created_at',
})

export const sealingKey = table<SealingKeyPair>('sealing_key', 'kid', {
  kid: 'kid',
  state: 'state',
  publicJwk: 'public_jwk',
  sealedPrivate: 'sealed_private',
  createdAt: 'created_at',
  retiringAt: 'retiring_at',
})

export const policy = table<PolicyVersion>('policy', 'type, version', {
  policyType: 'type',
  version: 'version',
  required: { columns: (required) => ({ required: required ? 1 : 0 }), read: ({ required }) => required === 1 },
  publishedAt: 'published_at',
  url: 'url',
})

export const acceptance = table<PolicyAcceptance>('acceptance', 'team, type, version', {
  teamId: 'team',
  policyType: 'type',
  version: 'version',
  by: 'by',
  at: 'at',
  from: 'from',
})

export const audit = table<AuditRecord>('audit', 'no', {
  at: 'at',
  by: 'by',
  what: 'what',
  teamId: 'team',
  object: 'object',
  from: 'from',
  before: json('before'),
  after: json('after'),
})

/** A value of the whole server. */
export const setting = table<{ name: string; value: string }>('setting', 'name', { name: 'name', value: 'value' })

export const member = table<MemberRecord>('team_member', 'team, person', {
  teamId: 'team',
  personId: 'person',
  role: 'role',
  createdAt: 'created_at',
})

export const invitation = table<InvitationRecord>('invitation', 'id', {
  invitationId: 'id',
  teamId: 'team',
  role: 'role',
  hash: 'hash',
  by: 'by',
  personId: 'person',
  application: 'application',
  ...validity,
})

export const signInLink = table<SignInLinkRecord>('sign_in_link', 'hash', {
  hash: 'hash',
  personId: 'person',
  expiresAt: 'expires_at',
})

export const session = table<SessionRecord>('session', 'hash', {
  hash: 'hash',
  personId: 'person',
  ...validity,
  byLink: flag('by_link'),
})

export const device = table<DeviceRecord>('device', 'id', {
  deviceId: 'id',
  personId: 'person',
  ...validity,
  seenAt: 'seen_at',
  browser: 'browser',
  system: 'system',
})

export const emailChange = table<EmailChange>('email_change', 'person', {
  personId: 'person',
  sealed: 'sealed',
  link: 'link',
  ...validity,
})

type OldSecret = ApplicationRecord['secretBefore']
const oldSecret: RowMapping<OldSecret> = {
  columns: (old) => ({ old_secret_hash: orNull(old?.hash), old_secret_until: orNull(old?.until) }),
  read: ({ old_secret_hash: hash, old_secret_until: until }) => (hash === null ? null : { hash, until }) as OldSecret,
}
const clientSecrets = { applicationId: 'id', secretHash: 'secret_hash', secretBefore: oldSecret }
export const clientSecret = table<Pick<ApplicationRecord, keyof typeof clientSecrets>>(
  'application',
  'id',
  clientSecrets,
)
export const application = table<ApplicationRecord>('application', 'id', {
  ...clientSecrets,
  teamId: 'team',
  name: 'name',
  redirectUris: json('redirect_uris'),
  scopes: json('scopes'),
  createdAt: 'created_at',
  approvedAt: 'approved_at',
})

export const artifact = table<OAuthArtifact>('artifact', 'kind, key', {
  kind: 'kind',
  key: 'key',
  grantKey: 'grant_key',
  actor: 'actor',
  application: 'application',
  tokenId: 'token',
  sealed: 'sealed',
  expiresAt: 'expires_at',
})

export const alert = table<AlertRecord>('alert', 'id', {
  alertId: 'id',
  teamId: 'team',
  kind: 'kind',
  tagId: 'tag',
  scriptId: 'script',
  reason: 'reason',
  count: 'count',
  since: 'since',
  at: 'at',
})
export const notification = mapRow<AlertNotification>({
  hookId: 'hook',
  status: 'status',
  tries: 'tries',
  nextAt: 'next_at',
  message: 'message',
})

export const contactPoint = table<ContactPointRecord>('contact_point', 'team, name', {
  contactPointId: 'id',
  teamId: 'team',
  name: 'name',
  kind: 'kind',
  sealed: 'sealed',
  createdAt: 'created_at',
})
export const alertRule = table<AlertRuleRecord>('alert_rule', 'team, name', {
  ruleId: 'id',
  teamId: 'team',
  name: 'name',
  settings: json('settings'),
  createdAt: 'created_at',
})

export const replay = table<ReplayRecord>('replay', 'id', {
  replayId: 'id',
  tagId: 'tag',
  teamId: 'team',
  filter: json('filter'),
  by: 'by',
  state: 'state',
  createdAt: 'created_at',
  startedAt: 'started_at',
  endedAt: 'ended_at',
  cursor: 'reached',
  tally: json('tally'),
})
