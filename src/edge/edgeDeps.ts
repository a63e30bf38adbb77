import type { Keyring } from '#account/keyring.ts'
import type { PreviewTerms } from '#account/previewCode.ts'
import type { AuthenticateToken } from '#account/teamAccess.ts'
import type { EventResult, TagEvent } from '#contract/event.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { RecentRecords } from '#event/recentRecords.ts'
import type { EventContext } from '#event/record.ts'
import type { IntakeLog } from '#journal/intakeLog.ts'
import type { RunLog } from '#journal/runLog.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Meter } from '#kit/meter.ts'
import type { IntakeRate } from '#limit/intakeRate.ts'
import type { SdkBuild } from '#manifest/sdkBuilds.ts'
import type { SendRequest } from '#provider/engine/send.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { RunCode } from '#sandbox/sharedSandbox.ts'
import type { Snapshot, SnapshotScript, Snapshots } from '#script/snapshot.ts'
import type { TrustProxy } from '#settings/trustProxy.ts'
import type { ShopOrder, SourceEvent } from '#sources/source.ts'
import type { Stream } from '#stream/stream.ts'
import type { CaptureRules, CaptureSource } from '#user/captureRules.ts'
import type { Profiles } from '#user/profiles.ts'
import type { LateLookups } from './lateLookups.ts'

type Variables = Readonly<Record<string, string>>
type ReadVariables = (tag: Snapshot, script: SnapshotScript) => Variables | Promise<Variables>

/** Runs the events of previews, separate from the stream. */
type Previews = {
  /** The tag as the preview runs it. */
  snapshotOf(tag: Snapshot, terms: PreviewTerms): Promise<Snapshot>
  /** Runs events, up to the link's remaining number. Throws overloaded. */
  add(tag: Snapshot, terms: PreviewTerms, events: readonly PreviewedEvent[]): Promise<void>
  /** The number of events that the link still accepts. */
  left(tag: Snapshot, previewId: string): Promise<number>
}
type PreviewedEvent = { event: TagEvent; context: EventContext }

/** Stores the orders of shops. */
type OrderKeeper = {
  /** `purchase`: the event that a repair would send for the order. It is stored encrypted for some days. */
  keep(tag: Snapshot, order: ShopOrder & { source: string }, purchase?: SourceEvent): Promise<object | undefined>
}

/** The dependencies of the edge of one environment. */
export type EdgeDeps = {
  environment: EnvironmentName
  /** The path prefix of every tag URL: `/t/` or `/sandbox/t/`. */
  prefix: string
  /** `Service`: gives the header `ServiceUserId` and the key `storage.service`. */
  brand: string
  /** True while the origin is plain http on a loopback host: cookies without Secure, localhost among the origins. */
  development: boolean
  /** The proxies and the CDN whose forwarding headers are trusted. */
  trustProxy: TrustProxy
  clock: Clock
  log: Log
  meter: Meter
  keys: Keyring
  snapshots: Snapshots
  /** Finds a tag that is not in `snapshots` yet. Absent if no other process creates tags. */
  late?: LateLookups
  stream: Stream
  /** Records for the worker of the same process. Only set beside a worker. */
  recentRecords?: Pick<RecentRecords, 'keep'>
  /** Counts the events and calls of each tag. */
  intakeLog: IntakeLog
  /** Journals the runs of webhooks. */
  runLog: Pick<RunLog, 'add'>
  /** The rate limits of tags and teams. */
  intakeRate: IntakeRate
  profiles: Profiles
  /** The providers of this build. */
  providers: Readonly<Partial<Record<ProviderId, Pick<Provider, 'consent' | 'hasBrowserModule' | 'code'>>>>
  authenticate: AuthenticateToken
  /** Previews, in which people test a draft with their own browser. Absent if previews are not available. */
  previews?: Previews
  /** Reads the API of a shop. */
  send?: SendRequest
  /** Stores the orders that shops send. */
  orders?: OrderKeeper
  /** Runs customers' code in the sandbox. */
  runCode: RunCode
  /** The decrypted secrets of a deployed script. */
  plaintexts: ReadVariables
  tagUrl(tagId: string): string
  /** The builds of the browser SDK, the newest first. */
  sdk: readonly SdkBuild[]
  /** The variables of a script that its browser module may read; never sensitive ones. */
  variables: ReadVariables
  /** The parameters and cookies that a page captures for a script, and those that are stored for a tag. */
  captures: {
    ofScript(tag: Snapshot, script: SnapshotScript): Promise<readonly CaptureSource[]>
    ofTag(tag: Snapshot): CaptureRules | Promise<CaptureRules>
  }
  /**
   * The states of an event's deliveries, once all have ended or after 10 s. `trusted` selects the caller's space of
   * event ids.
   */
  deliveriesOf(tag: Snapshot, eventId: string, trusted: boolean): Promise<NonNullable<EventResult['deliveries']>>
  /** Seconds after which to retry; undefined while events of the tag are accepted. */
  retryAfterSeconds(tagId: string): number | undefined
  /** Counts the bytes that a request to the tag holds in memory until `release`. */
  countMemory(tagId: string): { add(bytes: number): void; release(): void }
  /** True while so much memory is in use that request bodies of the tag are not read completely. */
  isFull(tagId: string): boolean
}
