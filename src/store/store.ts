import type { ConsentTrace, Place } from '#contract/journey.ts'
import type { Reason, Status } from '#contract/outcome.ts'
import type { PolicyType } from '#contract/policy.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { ConsentCategory, SecretType, ValueMode } from '#contract/script.ts'
import type { SecretRef, Snapshot } from '#script/snapshot.ts'
import type { AccountChange, Accounts, Person, Token } from './accounts.ts'
import type { Page, PageOf } from './page.ts'

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
/** An address that is asked before a deployment of the team goes live; what signs the question is under the team's key. */
export type HookRecord = { hookId: string; teamId: string; url: string; sealedSecret: Uint8Array; createdAt: number }
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
  /** The host names that lead to the tag, all of them. */
  | { put: 'hosts'; tagId: string; hosts: readonly string[] }
  /** With its scripts, their secrets, its deployments, host names and users. */
  | { drop: 'tag'; tagId: string }
  /** What is known of a user is gone, as long as it was not seen since. */
  | { drop: 'user'; tagId: string; userId: string; seenAt: number }
  /** The same, whenever it was seen; and what of its events waits to be delivered is dead. */
  | { erase: 'user'; tagId: string; userId: string; at: number }
  /** These events are nobody's. */
  | { erase: 'events'; events: readonly EventRef[] }
  | { put: 'script'; row: ScriptRecord }
  | { drop: 'script'; scriptId: string }
  | { add: 'hook'; row: HookRecord }
  | { drop: 'hook'; hookId: string }
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
    | 'host.name'
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
  /** All or nothing. Throws Conflict and Unwritable. Unique are script names per tag, tag names per team, numbers per tag, host names. */
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
  /** The tag that a host name leads to. */
  tagOfHost(host: string): Promise<string | undefined>
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
  users: Users
  close(): Promise<void>
}

/** An event as it was planned: one delivery for each script of the tag, skipped ones with their reason. */
export type PlannedEvent = {
  position: number
  index: number
  tagId: string
  eventName: string
  userId: string
  receivedAt: number
  consent: ConsentTrace
  place: Place
  /** The user that was found by the e-mail of the event, where it is another one. */
  joined?: string
  /** Its held deliveries wait for the consent of this user until then (epoch ms). */
  held?: { userId: string; until: number }
  deliveries: PlannedDelivery[]
}
/** A held event, decided again: how those of its deliveries stand that were held. */
export type Released = Pick<PlannedEvent, 'tagId' | 'position' | 'index' | 'consent' | 'place'> & {
  deliveries: Pick<PlannedDelivery, 'deliveryId' | 'scriptId' | 'status' | 'reason'>[]
}
export type EventRef = { tagId: string; position: number; index: number }
export type PlannedDelivery = {
  deliveryId: string
  scriptId: string
  providerId: ProviderId
  status: Status
  reason?: Reason
}

/** A delivery that waits for its next attempt. */
export type DueDelivery = {
  deliveryId: string
  tagId: string
  position: number
  index: number
  scriptId: string
  providerId: ProviderId
  /** attempts begun so far */
  attempts: number
  /** those of them that do not count in the schedule */
  free: number
  nextAt: number
  receivedAt: number
}
/** One attempt that has ended: `httpStatus` is absent where no answer came. `message` and bodies hold no secret. */
export type AttemptRow = {
  deliveryId: string
  number: number
  at: number
  durationMs: number
  httpStatus?: number
  message?: string
}
/**
 * How a delivery stands after an attempt, or after it was given up. `nextAt` where it is pending again.
 * `free`: the attempt does not count in the schedule (the vendor said when to come again); `DueDelivery.free` grows by one.
 */
export type Settled = {
  deliveryId: string
  status: Status
  reason?: Reason
  nextAt?: number
  free?: true
  attempt?: AttemptRow
}

export type JournalEvent = Omit<PlannedEvent, 'deliveries' | 'held'> & {
  deliveries: (PlannedDelivery & { nextAt?: number; attempts: AttemptRow[] })[]
}

/** Every decision and every attempt. */
export type Journal = {
  /**
   * Writes events and deliveries; the pending ones are due from `receivedAt` on.
   * An event planned before (a crash came between) keeps its first plan.
   */
  plan(events: readonly PlannedEvent[]): Promise<void>
  /** For each script with pending deliveries due after `afterMs`, when the first of those is due: one seek per script. */
  nextDue(afterMs: number): Promise<{ scriptId: string; nextAt: number }[]>
  /** Pending deliveries of one script whose time has come, oldest `nextAt` first: one dead channel hides no other. */
  due(scriptId: string, nowMs: number, limit: number): Promise<DueDelivery[]>
  /** Counts an attempt before it is made, and keeps the delivery from being due until `untilMs`. */
  begin(deliveries: readonly { deliveryId: string; untilMs: number }[]): Promise<void>
  /** Makes due now what a worker that has ended had begun. Only for who knows that no other is at work. */
  takeUp(nowMs: number): Promise<void>
  settle(outcomes: readonly Settled[]): Promise<void>
  event(tagId: string, position: number, index: number): Promise<JournalEvent | undefined>
  /** The events of a tag, newest first. */
  events(tagId: string, page: PageOf): Promise<Page<Omit<PlannedEvent, 'deliveries' | 'held'>>>
  /** The events of a user, newest first: those that came under its id, and those that were joined to it. */
  eventsOf(tagId: string, userId: string, page: PageOf): Promise<Page<Omit<PlannedEvent, 'deliveries' | 'held'>>>
  /** The events that wait for the consent of a user, in the order they came. */
  held(tagId: string, userId: string): Promise<EventRef[]>
  /** Some of the events that have waited for a consent long enough. */
  heldUntil(nowMs: number, limit: number): Promise<EventRef[]>
  /** Lets go of held events. What is pending now is due since its event was received: the order they came in stays. */
  release(events: readonly Released[]): Promise<void>
  /** Pending deliveries. */
  pending(): Promise<number>
}

/**
 * A person known to one tag. `sealed` holds keys, captures and consent under the team's key. It is empty once the user has
 * been erased: the row then tells only until when (`seenAt`), and is dropped when nothing older can come any more.
 */
export type UserRecord = { tagId: string; userId: string; sealed: Uint8Array; seenAt: number }
export type Users = {
  get(tagId: string, userId: string): Promise<UserRecord | undefined>
  /** The user that this alias (a keyed fingerprint of an e-mail) was first given to. */
  byAlias(tagId: string, alias: Uint8Array): Promise<string | undefined>
  /** `aliases` point to the user unless they already point to another. */
  put(user: UserRecord, aliases: readonly Uint8Array[]): Promise<void>
  /** Some of the users who were not seen since `seenBefore`, and of those erased before `erasedBefore`. */
  unseen(before: { seenBefore: number; erasedBefore: number }, limit: number): Promise<Omit<UserRecord, 'sealed'>[]>
}
