import type { ConsentTrace, Place } from '#contract/journey.ts'
import type { Reason, Status } from '#contract/outcome.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { Scope } from '#contract/scopes.ts'
import type { ConsentCategory, SecretType, ValueMode } from '#contract/script.ts'
import type { SecretRef, Snapshot } from '#script/snapshot.ts'

/** All times are epoch ms. Bytes are sealed: no store ever holds a key or a plaintext secret. */
export type Team = { teamId: string; name: string; sealedKey: Uint8Array; createdAt: number }
export type Person = { personId: string; name: string; role: 'operator'; createdAt: number }
export type Token = {
  tokenId: string
  teamId: string
  application: string
  /** HMAC-SHA-256 of the token under the pepper */
  hash: Uint8Array
  scopes: Scope[]
  createdAt: number
  expiresAt: number
  revokedAt?: number
}
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
export type Deployment = { tagId: string; number: number; snapshot: Snapshot; by: string; createdAt: number }
/** A key pair that secret entries are sealed for. */
export type SealingKeyPair = {
  kid: string
  state: 'active' | 'next' | 'retiring'
  publicJwk: string
  sealedPrivate: Uint8Array
  createdAt: number
}
/** Who did what to which thing, when and from where. */
export type AuditRow = { at: number; by: string; what: string; teamId?: string; object?: string; from?: string }

/** One thing that is to be written. Changes written together stand or fall together. */
export type Change =
  | { add: 'team'; row: Team }
  | { add: 'person'; row: Person }
  | { add: 'token'; row: Token }
  | { revoke: 'token'; tokenId: string; at: number }
  | { add: 'tag'; row: TagRecord }
  | { put: 'script'; row: ScriptRecord }
  | { drop: 'script'; scriptId: string }
  | { add: 'secret'; row: SecretVersion }
  | { add: 'deployment'; row: Deployment }
  | { put: 'sealingKey'; row: SealingKeyPair }
  | { put: 'setting'; name: string; value: string }
  | { add: 'audit'; row: AuditRow }

/** A row that must be unique is there already; nothing of the write was kept. */
export class Conflict extends Error {
  readonly unique: 'tag.name' | 'script.name' | 'deployment.number' | 'other'
  constructor(unique: Conflict['unique']) {
    super(`not unique: ${unique}`)
    this.name = 'Conflict'
    this.unique = unique
  }
}

export type Page<Row> = { rows: Row[]; next?: string }
/** `cursor` is the `next` of the page before; newest first where time orders the rows. */
export type PageOf = { cursor?: string; limit: number }

/** What is kept of one environment. Every promise of a write resolves when it is on disk. */
export type Store = {
  /** All or nothing. Throws Conflict. Script names are unique per tag, tag names per team, numbers per tag. */
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
  /** The newest deployment of the tag. */
  deployment(tagId: string): Promise<Deployment | undefined>
  /** The newest deployment of every tag. */
  deployments(): Promise<Deployment[]>
  sealingKeys(): Promise<SealingKeyPair[]>
  setting(name: string): Promise<string | undefined>

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
  deliveries: PlannedDelivery[]
}
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

export type JournalEvent = Omit<PlannedEvent, 'deliveries'> & {
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
  settle(outcomes: readonly Settled[]): Promise<void>
  event(tagId: string, position: number, index: number): Promise<JournalEvent | undefined>
  /** The events of a tag, newest first. */
  events(tagId: string, page: PageOf): Promise<Page<Omit<PlannedEvent, 'deliveries'>>>
  /** Pending deliveries. */
  pending(): Promise<number>
}

/** A person known to one tag. `sealed` holds keys, captures and consent under the team's key. */
export type UserRecord = { tagId: string; userId: string; sealed: Uint8Array; seenAt: number }
export type Users = {
  get(tagId: string, userId: string): Promise<UserRecord | undefined>
  /** The user that this alias (a keyed fingerprint of an e-mail) was first given to. */
  byAlias(tagId: string, alias: Uint8Array): Promise<string | undefined>
  /** `aliases` point to the user unless they already point to another. */
  put(user: UserRecord, aliases: readonly Uint8Array[]): Promise<void>
}
