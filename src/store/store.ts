import type { HookKind } from '#contract/hook.ts'
import type { PolicyType } from '#contract/policy.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { ConsentCategory, SecretType, ValueMode } from '#contract/script.ts'
import type { SecretRef, Snapshot } from '#script/snapshot.ts'
import type { HostClaim } from '#tag/hostClaim.ts'
import type { AccountChange, Accounts, Person, Token } from './accounts.ts'
import type { AlertRecord, Alerts } from './alerts.ts'
import type { Join, RefusedCalls } from './found.ts'
import type { Journal } from './journal.ts'
import type { Page, PageOf } from './page.ts'
import type { EventRef } from './planned.ts'
import type { Queries } from './queries.ts'
import type { ReplayRecord, Replays } from './replays.ts'
import type { Users } from './users.ts'

export * from './journal.ts'
export type * from './planned.ts'
export * from './users.ts'
export type { Page, PageOf, Person, Token }

/** All times are epoch ms. Bytes are sealed: no store ever holds a key or a plaintext secret. */
export type Team = { teamId: string; name: string; sealedKey: Uint8Array; createdAt: number }
export type TagSettings = Omit<Snapshot, 'tagId' | 'teamId' | 'number' | 'name' | 'scripts'>
export type TagRecord = { tagId: string; teamId: string; name: string; settings: TagSettings; createdAt: number }
export type ScriptRecord = {
  scriptId: string
  tagId: string
  teamId: string
  name: string
  providerId: ProviderId
  consentCategory?: ConsentCategory
  geoRegions?: string
  purchaseValueMode?: ValueMode
  paused?: true
  secrets: Record<string, SecretRef>
  createdAt: number
}
/** One version of one secret: ciphertext under its own data key, that key wrapped by the team's. */
export type SecretVersion = SecretRef & {
  scriptId: string
  variable: string
  type: SecretType
  wrappedKey: Uint8Array
  ciphertext: Uint8Array
  createdAt: number
}
export type Deployment = {
  tagId: string
  number: number
  snapshot: Snapshot
  by: string
  createdAt: number
  /** The older deployment whose content this one has. */
  activates?: number
}
/** An address that a team named; what signs the requests is under the team's key. */
export type HookRecord = {
  hookId: string
  teamId: string
  kind: HookKind
  url: string
  sealedSecret: Uint8Array
  createdAt: number
}
/** A key pair that secret entries are sealed for. */
export type SealingKeyPair = {
  kid: string
  state: 'active' | 'next' | 'retiring'
  publicJwk: string
  sealedPrivate: Uint8Array
  createdAt: number
  retiringAt?: number
}
export type PolicyVersion = { policyType: PolicyType; version: string; required: boolean; publishedAt: number }
/** That a team has accepted a version of a policy, once and for ever. */
export type Acceptance = {
  teamId: string
  policyType: PolicyType
  version: string
  by: string
  at: number
  from?: string
}
/** What is told of a thing before or after a change: never a secret, of those only which version there is. */
export type AuditState = object
/** Who did what to which thing, when and from where. `what` is the id of the operation. */
export type AuditRow = {
  at: number
  by: string
  what: string
  teamId?: string
  object?: string
  from?: string
  before?: AuditState
  after?: AuditState
}

/** One thing that is to be written. Changes written together stand or fall together. */
export type Change =
  | { add: 'team'; row: Team }
  | { add: 'person'; row: Person }
  | { add: 'token'; row: Token }
  | { revoke: 'token'; tokenId: string; at: number }
  | { add: 'tag'; row: TagRecord }
  | { put: 'tag'; row: TagRecord }
  /** The host names that the tag claims, all of them: a claim that it has already stays as it is. */
  | { put: 'hosts'; tagId: string; hosts: readonly string[]; at: number }
  /** What was seen of a claim; nothing where the tag has given it up. */
  | { put: 'hostClaim'; row: HostClaim }
  /** With its scripts, their secrets, its deployments, host names and users. */
  | { drop: 'tag'; tagId: string }
  /** What is known of a user is gone, as long as it was not seen since. */
  | { drop: 'user'; tagId: string; userId: string; seenAt: number }
  /** The same, whenever it was seen; and what of its events waits to be delivered is dead. */
  | { erase: 'user'; tagId: string; userId: string; at: number }
  /** These events are nobody's. */
  | { erase: 'events'; events: readonly EventRef[] }
  /** Whose click ids and cookies went along with these attempts is not to be known any more. */
  | { erase: 'joins'; joins: readonly Pick<Join, 'deliveryId' | 'number'>[] }
  | { put: 'script'; row: ScriptRecord }
  | { drop: 'script'; scriptId: string }
  /** A channel goes on that was paused because of its vendor. */
  | { drop: 'pause'; scriptId: string }
  | { add: 'hook'; row: HookRecord }
  | { drop: 'hook'; hookId: string }
  | { add: 'replay'; row: ReplayRecord }
  | { add: 'alert'; row: AlertRecord; hookIds: readonly string[] }
  | { add: 'refusedCalls'; rows: readonly RefusedCalls[] }
  /** Nothing more is sent again by it; does nothing to one that has ended. */
  | { stop: 'replay'; replayId: string }
  | { add: 'secret'; row: SecretVersion }
  | { add: 'deployment'; row: Deployment }
  | { put: 'sealingKey'; row: SealingKeyPair }
  | { drop: 'sealingKey'; kid: string }
  | { put: 'teamKey'; teamId: string; sealedKey: Uint8Array }
  | { put: 'policy'; row: PolicyVersion }
  | { add: 'acceptance'; row: Acceptance }
  | { put: 'setting'; name: string; value: string }
  | { add: 'audit'; row: AuditRow }
  | { account: AccountChange }

/** A row that must be unique is there already; nothing of the write was kept. */
export class Conflict extends Error {
  readonly unique:
    | 'tag.name'
    | 'script.name'
    | 'deployment.number'
    | 'application.name'
    | 'person.email'
    | 'used'
    | 'other'
  constructor(unique: Conflict['unique']) {
    super(`not unique: ${unique}`)
    this.name = 'Conflict'
    this.unique = unique
  }
}

/** Nothing can be written now: the disk is full, or it failed. Nothing of the write was kept. */
export class Unwritable extends Error {
  override name = 'Unwritable'
}

/** What is kept of one environment. Every promise of a write resolves when it is on disk. */
export type Store = {
  /** All or nothing. Throws Conflict and Unwritable. Unique are script names per tag, tag names per team, numbers per tag. */
  write(changes: readonly Change[]): Promise<void>

  team(teamId: string): Promise<Team | undefined>
  teams(): Promise<Team[]>
  person(role: Person['role']): Promise<Person | undefined>
  token(hash: Uint8Array): Promise<Token | undefined>
  tokenById(tokenId: string): Promise<Token | undefined>
  tag(tagId: string): Promise<TagRecord | undefined>
  tags(teamId: string, page: PageOf): Promise<Page<TagRecord>>
  script(scriptId: string): Promise<ScriptRecord | undefined>
  scripts(tagId: string, page: PageOf): Promise<Page<ScriptRecord>>
  secret(ref: SecretRef): Promise<SecretVersion | undefined>
  /** The claims to a host, of a tag, or all; by host, then in the order in which they were made. */
  hostClaims(of: { host: string } | { tagId: string } | 'all'): Promise<HostClaim[]>
  /** The deployment of this number; the newest of the tag where none is named. */
  deployment(tagId: string, number?: number): Promise<Deployment | undefined>
  /** Every deployment of the tag, newest first. */
  history(tagId: string, page: PageOf): Promise<Page<Deployment>>
  /** The newest deployment of every tag. */
  deployments(): Promise<Deployment[]>
  hook(hookId: string): Promise<HookRecord | undefined>
  hooks(teamId: string, page: PageOf): Promise<Page<HookRecord>>
  sealingKeys(): Promise<SealingKeyPair[]>
  setting(name: string): Promise<string | undefined>
  /** Every version of every policy, in the order they were published. */
  policies(): Promise<PolicyVersion[]>
  acceptances(teamId: string): Promise<Acceptance[]>
  /** What was changed of a team's, newest first. */
  audit(teamId: string, page: PageOf): Promise<Page<AuditRow>>

  accounts: Accounts
  journal: Journal
  /** Reads of a team that may take long. */
  queries(teamId: string): Queries
  replays: Replays
  alerts: Alerts
  users: Users
  close(): Promise<void>
}
