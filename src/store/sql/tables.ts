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
import { flag, json, mapRow, orNull, type RowMapping, same, table } from './rowMappings.ts'

export const team = table<TeamRecord>('team', 'id', {
  teamId: 'id',
  ...same('name', 'sealedKey', 'createdAt', 'alertsMutedUntil'),
})

export const person = table<PersonRecord>('person', 'id', {
  personId: 'id',
  ...same('name', 'role', 'emailKey', 'sealed', 'password', 'createdAt'),
})

const tokenId = { tokenId: 'id' }
const validity = same('createdAt', 'expiresAt')
export const token = table<TokenRecord>('token', 'id', {
  ...tokenId,
  teamId: 'team',
  scopes: json('scopes'),
  ...validity,
  ...same('application', 'hash', 'revokedAt'),
})
export const issuedToken = mapRow<IssuedToken>({ ...tokenId, scopes: json('scopes'), ...validity })

export const revision = same<keyof RecordRevision>('version', 'updatedAt', 'updatedBy')
export const tag = table<TagRecord>('tag', 'id', {
  tagId: 'id',
  teamId: 'team',
  settings: json('settings'),
  ...revision,
  ...same('name', 'createdAt'),
})

export const secret = table<SecretVersion>('secret_version', 'secret, version', {
  secretId: 'secret',
  scriptId: 'script',
  ...same('version', 'variable', 'type', 'wrappedKey', 'ciphertext', 'createdAt'),
})

export const deployment = table<DeploymentEntry>('deployment', 'tag, number', {
  tagId: 'tag',
  parts: json('parts'),
  ...same('number', 'by', 'createdAt', 'activates'),
})

export const hostClaim = table<HostClaim>('host_claim', 'tag, name', {
  tagId: 'tag',
  host: 'name',
  isMissing: flag('is_missing'),
  ...same('claimedAt', 'provedSince', 'provedAt', 'checkedAt'),
})

export const hook = table<HookRecord>('hook', 'id', {
  hookId: 'id',
  teamId: 'team',
  ...same('kind', 'url', 'sealedSecret', 'createdAt'),
})

export const sealingKey = table<SealingKeyPair>('sealing_key', 'kid', {
  ...same('kid', 'state', 'publicJwk', 'sealedPrivate', 'createdAt', 'retiringAt'),
})

export const policy = table<PolicyVersion>('policy', 'type, version', {
  policyType: 'type',
  required: { columns: (required) => ({ required: required ? 1 : 0 }), read: ({ required }) => required === 1 },
  ...same('version', 'publishedAt', 'url'),
})

export const acceptance = table<PolicyAcceptance>('acceptance', 'team, type, version', {
  teamId: 'team',
  policyType: 'type',
  ...same('version', 'by', 'at', 'from'),
})

export const audit = table<AuditRecord>('audit', 'no', {
  teamId: 'team',
  before: json('before'),
  after: json('after'),
  ...same('at', 'by', 'what', 'object', 'from'),
})

/** Settings belong to the whole server. */
export const setting = table<{ name: string; value: string }>('setting', 'name', same('name', 'value'))

export const member = table<MemberRecord>('team_member', 'team, person', {
  teamId: 'team',
  personId: 'person',
  ...same('role', 'createdAt'),
})

export const invitation = table<InvitationRecord>('invitation', 'id', {
  invitationId: 'id',
  teamId: 'team',
  personId: 'person',
  ...validity,
  ...same('role', 'hash', 'by', 'application'),
})

export const signInLink = table<SignInLinkRecord>('sign_in_link', 'hash', {
  personId: 'person',
  ...same('hash', 'expiresAt'),
})

export const session = table<SessionRecord>('session', 'hash', {
  personId: 'person',
  ...validity,
  hash: 'hash',
  byLink: flag('by_link'),
})

export const device = table<DeviceRecord>('device', 'id', {
  deviceId: 'id',
  personId: 'person',
  ...validity,
  ...same('seenAt', 'browser', 'system'),
})

export const emailChange = table<EmailChange>('email_change', 'person', {
  personId: 'person',
  ...validity,
  ...same('sealed', 'link'),
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
  redirectUris: json('redirect_uris'),
  scopes: json('scopes'),
  ...same('name', 'createdAt', 'approvedAt'),
})

export const artifact = table<OAuthArtifact>('artifact', 'kind, key', {
  tokenId: 'token',
  ...same('kind', 'key', 'grantKey', 'actor', 'application', 'sealed', 'expiresAt'),
})

export const alert = table<AlertRecord>('alert', 'id', {
  alertId: 'id',
  teamId: 'team',
  tagId: 'tag',
  scriptId: 'script',
  ...same('kind', 'reason', 'count', 'since', 'at'),
})
export const notification = mapRow<AlertNotification>({
  hookId: 'hook',
  ...same('status', 'tries', 'nextAt', 'message'),
})

export const contactPoint = table<ContactPointRecord>('contact_point', 'team, name', {
  contactPointId: 'id',
  teamId: 'team',
  ...same('name', 'kind', 'sealed', 'createdAt'),
})
export const alertRule = table<AlertRuleRecord>('alert_rule', 'team, name', {
  ruleId: 'id',
  teamId: 'team',
  settings: json('settings'),
  ...same('name', 'createdAt'),
})

export const replay = table<ReplayRecord>('replay', 'id', {
  replayId: 'id',
  tagId: 'tag',
  teamId: 'team',
  filter: json('filter'),
  cursor: 'reached',
  tally: json('tally'),
  ...same('by', 'state', 'createdAt', 'startedAt', 'endedAt'),
})
