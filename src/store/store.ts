import type { HookKind } from '#contract/hook.ts'
import type { PolicyType } from '#contract/policy.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { ChannelRules } from '#contract/rule/channelRules.ts'
import type { ConsentCategory, SecretType, ValueMode } from '#contract/script.ts'
import type { AccountChange, AccountStore, PersonRecord, TeamRecord, TokenRecord } from './accounts.ts'
import type { AlertRecord, AlertStore } from './alerts.ts'
import type { AttemptStore } from './attempts.ts'
import type { PageRequest, ResultPage } from './cursor.ts'
import type { AttemptJoin, RefusedCalls } from './deliveryQueries.ts'
import type { IncidentChange, IncidentStore } from './incidents.ts'
import type { IntakeBatch } from './intake.ts'
import type { Journal } from './journal.ts'
import type { JournalQueries } from './journalQueries.ts'
import type { OrderChange, OrderStore } from './orders.ts'
import type { EventRef } from './plannedEvent.ts'
import type { ReplayRecord, ReplayStore } from './replays.ts'
import type { DeploymentEntry, DeploymentRecord, SecretRef, Snapshot } from './snapshot.ts'
import type { UserStore } from './users.ts'
import type { RunRecord, RunStore } from './webhookRuns.ts'

export * from './journal.ts'
export type * from './plannedEvent.ts'
export * from './users.ts'
export type { DeploymentEntry, DeploymentRecord, PageRequest, PersonRecord, ResultPage, TeamRecord, TokenRecord }

/** All times are epoch ms. Bytes are sealed: a store never contains a plaintext key or secret. */
export type TagSettings = Omit<Snapshot, 'tagId' | 'teamId' | 'number' | 'name' | 'scripts' | 'shard'>
/** How often a record was saved, and when and by whom it was last saved; the latter are unknown for old records. */
export type RecordRevision = { version: number; updatedAt?: number; updatedBy?: string }
export type TagRecord = RecordRevision & {
  tagId: string
  teamId: string
  name: string
  settings: TagSettings
  createdAt: number
}
export type ScriptRecord = RecordRevision &
  ChannelRules & {
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
/** A tag's claim to a host. Several tags may claim a host; DNS proofs decide which is served. Times are epoch ms. */
export type HostClaim = {
  tagId: string
  host: string
  /** When the tag claimed the host, or lost its proof. */
  claimedAt: number
  /** The first time of the current proof, and the last time that DNS showed it; absent without a proof. */
  provedSince?: number
  provedAt?: number
  /** The time of the last look-up. */
  checkedAt?: number
  /** True if DNS answered that the name has no record. */
  isMissing?: true
}

/** A version of a secret: the ciphertext, and its data key wrapped by the team's key. */
export type SecretVersion = SecretRef & {
  scriptId: string
  variable: string
  type: SecretType
  wrappedKey: Uint8Array
  ciphertext: Uint8Array
  createdAt: number
}
/** A hook of a team. `sealedSecret` signs its requests, and is sealed by the team's key. */
export type HookRecord = {
  hookId: string
  teamId: string
  kind: HookKind
  url: string
  sealedSecret: Uint8Array
  createdAt: number
}
/** A key pair for the encryption of secret entries. */
export type SealingKeyPair = {
  kid: string
  state: 'active' | 'next' | 'retiring'
  publicJwk: string
  sealedPrivate: Uint8Array
  createdAt: number
  retiringAt?: number
}
/** A published version of a policy. `url`: where its text is published. */
export type PolicyVersion = {
  policyType: PolicyType
  version: string
  required: boolean
  publishedAt: number
  url?: string
}
/** A team's acceptance of a policy version. It is never changed or removed. */
export type PolicyAcceptance = {
  teamId: string
  policyType: PolicyType
  version: string
  by: string
  at: number
  from?: string
}
/** The state of an object before or after a change. It refers to versions of secrets, but contains no secret. */
export type AuditState = object
/** An audit entry. `by`: the actor. `what`: the operation. `object`: the changed object. `from`: an IP address. */
export type AuditRecord = {
  at: number
  by: string
  what: string
  teamId?: string
  object?: string
  from?: string
  before?: AuditState
  after?: AuditState
}

/** Filters audit entries by actor, operation, object and time range (epoch ms). */
export type AuditFilter = { by?: string; what?: string; object?: string; since?: number; before?: number }

/** A change of the store. The changes of one write are atomic. */
export type StoreChange =
  | { add: 'team'; row: TeamRecord }
  | { add: 'person'; row: PersonRecord }
  | { add: 'token'; row: TokenRecord }
  | { revoke: 'token'; tokenId: string; at: number }
  | { add: 'tag'; row: TagRecord }
  | { put: 'tag'; row: TagRecord }
  /** Replaces the host names that the tag claims. Existing claims to the same hosts do not change. */
  | { put: 'hosts'; tagId: string; hosts: readonly string[]; at: number }
  /** Updates a claim after a DNS check; does nothing if the tag no longer claims the host. */
  | { put: 'hostClaim'; row: HostClaim }
  /** Deletes a tag with its scripts, their secrets, its deployments, host claims and users. */
  | { drop: 'tag'; tagId: string }
  /** Deletes a user's profile, unless the user was seen after `seenAt`. */
  | { drop: 'user'; tagId: string; userId: string; seenAt: number }
  /** Erases a user's profile and marks the waiting deliveries of the user's events dead. */
  | { erase: 'user'; tagId: string; userId: string; at: number }
  /** Removes the user from these events. */
  | { erase: 'events'; events: readonly EventRef[] }
  /** Removes the user whose click ids and cookies were also sent from these attempts. */
  | { erase: 'joins'; joins: readonly Pick<AttemptJoin, 'deliveryId' | 'number'>[] }
  /** Deletes the webhook runs that created the events with these keys, and the runs in `runs`. */
  | { erase: 'runs'; tagId: string; keys: readonly bigint[]; runs?: readonly Pick<RunRecord, 'scriptId' | 'runId'>[] }
  /** Does not change whether the script is paused: only `put: 'paused'` does. */
  | { put: 'script'; row: ScriptRecord }
  | { put: 'paused'; scriptId: string; paused: boolean }
  | { drop: 'script'; scriptId: string }
  /** Ends the automatic pause of a channel. */
  | { drop: 'pause'; scriptId: string }
  | { add: 'hook'; row: HookRecord }
  | { drop: 'hook'; hookId: string }
  | { add: 'replay'; row: ReplayRecord }
  | { add: 'alert'; row: AlertRecord; hookIds: readonly string[] }
  | { add: 'refusedCalls'; rows: readonly RefusedCalls[] }
  | { add: 'intake'; batch: IntakeBatch }
  | { add: 'runs'; rows: readonly RunRecord[] }
  /** Drops some webhook runs, and some keys of their events, from before a time (epoch ms). */
  | { drop: 'runs'; before: number }
  /** Stops a replay; does nothing if it has ended. */
  | { stop: 'replay'; replayId: string }
  | { add: 'secret'; row: SecretVersion }
  /** Writes only the parts that `previous`, the previous deployment, does not have. */
  | { add: 'deployment'; row: DeploymentRecord; previous?: Snapshot }
  | { put: 'sealingKey'; row: SealingKeyPair }
  | { drop: 'sealingKey'; kid: string }
  | { put: 'teamKey'; teamId: string; sealedKey: Uint8Array }
  | { put: 'teamName'; teamId: string; name: string }
  | { put: 'teamMute'; teamId: string; until?: number }
  | { put: 'policy'; row: PolicyVersion }
  /** Withdraws a version. Its acceptances are kept. */
  | { drop: 'policy'; policyType: PolicyType; version: string }
  | { add: 'acceptance'; row: PolicyAcceptance }
  | { put: 'setting'; name: string; value: string }
  | { add: 'audit'; row: AuditRecord }
  | OrderChange
  | { account: AccountChange }
  | { alerting: IncidentChange }

/** A unique value already exists. Nothing of the write was stored. */
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

/** The store cannot write at the moment, because the disk is full or has failed. Nothing of the write was stored. */
export class Unwritable extends Error {
  override name = 'Unwritable'
}

/**
 * The control part of a store: few rows, written by people and the control API. It is in one database, even if the work
 * part is spread over several.
 */
export type ControlStore = {
  team(teamId: string): Promise<TeamRecord | undefined>
  teams(): Promise<TeamRecord[]>
  person(role: PersonRecord['role']): Promise<PersonRecord | undefined>
  token(hash: Uint8Array): Promise<TokenRecord | undefined>
  tokenById(tokenId: string): Promise<TokenRecord | undefined>
  /** The tokens of a team that are neither revoked nor expired, oldest first. */
  validTokens(teamId: string, nowMs: number): Promise<TokenRecord[]>
  tag(tagId: string): Promise<TagRecord | undefined>
  tags(teamId: string, page: PageRequest): Promise<ResultPage<TagRecord>>
  script(scriptId: string): Promise<ScriptRecord | undefined>
  /** The ids of all scripts that are paused. */
  pausedScripts(): Promise<string[]>
  scripts(tagId: string, page: PageRequest): Promise<ResultPage<ScriptRecord>>
  secret(ref: SecretRef): Promise<SecretVersion | undefined>
  /** The claims to a host, of a tag, or all, ordered by host and then by claim time. */
  hostClaims(of: { host: string } | { tagId: string } | 'all'): Promise<HostClaim[]>
  /** The deployment with this number; by default the newest of the tag. */
  deployment(tagId: string, number?: number): Promise<DeploymentRecord | undefined>
  /** The deployment that was live at a time (epoch ms); undefined before the oldest one that is kept. */
  deploymentAt(tagId: string, at: number): Promise<DeploymentRecord | undefined>
  /** Every deployment of the tag, newest first. */
  history(tagId: string, page: PageRequest): Promise<ResultPage<DeploymentEntry>>
  /** These parts of the tag's deployments, by hash. */
  snapshotParts(tagId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Partial<Snapshot>>>
  /** The newest deployment of every tag. */
  deployments(): Promise<DeploymentRecord[]>
  hook(hookId: string): Promise<HookRecord | undefined>
  hooks(teamId: string, page: PageRequest): Promise<ResultPage<HookRecord>>
  sealingKeys(): Promise<SealingKeyPair[]>
  setting(name: string): Promise<string | undefined>
  /** All versions of all policies, in order of publication. */
  policies(): Promise<PolicyVersion[]>
  acceptances(teamId: string): Promise<PolicyAcceptance[]>
  /** The audit entries of a team that match the filter, newest first. */
  audit(teamId: string, page: PageRequest, filter?: AuditFilter): Promise<ResultPage<AuditRecord>>

  accounts: AccountStore
  attempts: AttemptStore
  alerts: AlertStore
  incidents: IncidentStore
}

/**
 * The work part of a store: the processing of the tags' events. Every call is about one tag or all tags, so that tags
 * can be spread over several databases.
 */
export type WorkStore = {
  journal: Journal
  /** The slow reads of a team. */
  queries(teamId: string): JournalQueries
  replays: ReplayStore
  runs: RunStore
  orders: OrderStore
  users: UserStore
}

/** Some databases cannot write at the moment. The changes in `unwritten` were not stored; the others were. */
export class PartlyWritten extends Unwritable {
  override name = 'PartlyWritten'
  readonly unwritten: readonly StoreChange[]
  constructor(message: string, { unwritten, cause }: { unwritten: readonly StoreChange[]; cause: unknown }) {
    super(message, { cause })
    this.unwritten = unwritten
  }
}

/** The changes of a failed write that were not stored, from the error that it threw. */
export const unwrittenOf = (error: unknown, changes: readonly StoreChange[]): readonly StoreChange[] =>
  error instanceof PartlyWritten ? error.unwritten : changes

/** Common to both parts of a store. The promise of a write resolves once the write is on disk. */
export type StoreWrites = {
  /**
   * Atomic, except for counts of several shards: if only some are stored, throws PartlyWritten. Unique: script names
   * per tag, tag names per team, deployment numbers per tag. Throws Conflict, Unwritable.
   */
  write(changes: readonly StoreChange[]): Promise<void>
  /** Removes deleted data from the files of the store. Absent if the database does this by itself. */
  purge?(): Promise<void>
  close(): Promise<void>
}

/** The store of one environment: both parts. */
export type Store = ControlStore & WorkStore & StoreWrites
