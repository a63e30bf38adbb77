import type { Authenticate } from '#account/access.ts'
import type { Keyring } from '#account/keyring.ts'
import type { EventTaken } from '#contract/event.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { TrustProxy } from '#contract/settings.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Meter } from '#kit/meter.ts'
import type { IntakeRate } from '#limit/intakeRate.ts'
import type { SdkBuild } from '#manifest/sdk.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { RunCode } from '#sandbox/shared.ts'
import type { Snapshot, SnapshotScript, Snapshots } from '#script/snapshot.ts'
import type { Stream } from '#stream/stream.ts'
import type { Capture, Captures } from '#user/capture.ts'
import type { People } from '#user/people.ts'

/** What the edge of one environment stands on. */
export type EdgeWorld = {
  environment: EnvironmentName
  /** What the path of every tag URL begins with: `/t/` or `/sandbox/t/`. */
  prefix: string
  /** `Service`: gives the header `ServiceUserId` and the key `storage.service`. */
  brand: string
  /** True while the origin is plain http on a loopback host: cookies without Secure, localhost among the origins. */
  development: boolean
  /** Of which other ends the forwarding headers are believed. */
  trustProxy: TrustProxy
  clock: Clock
  log: Log
  meter: Meter
  keys: Keyring
  snapshots: Snapshots
  stream: Stream
  /** How fast tags and teams may send. */
  intakeRate: IntakeRate
  people: People
  /** The providers that this build has. */
  providers: Readonly<Partial<Record<ProviderId, Pick<Provider, 'consent' | 'hasBrowserModule' | 'code'>>>>
  authenticate: Authenticate
  /** Runs customers' code behind the walls of the sandbox. */
  runCode: RunCode
  /** The secrets of a deployed script. */
  plaintexts(tag: Snapshot, script: SnapshotScript): Promise<Record<string, string>>
  tagUrl(tagId: string): string
  /** The builds of the browser SDK, the newest first. */
  sdk: readonly SdkBuild[]
  /** What the page's part of a channel may know: the values of its variables for the browser. Never a sensitive one. */
  variables(tag: Snapshot, script: SnapshotScript): Promise<Record<string, string>>
  /** What the page captures for a script, and what is kept of what it captured. */
  captures: {
    ofScript(tag: Snapshot, script: SnapshotScript): Promise<readonly Capture[]>
    ofTag(tag: Snapshot): Captures | Promise<Captures>
  }
  /** How the deliveries of an event of a trusted or an untrusted caller stand, as soon as they have ended or after 10 s. */
  settled(tag: Snapshot, eventId: string, trusted: boolean): Promise<NonNullable<EventTaken['deliveries']>>
  /** Seconds after which to come again, while no event can be taken. */
  busy(): number | undefined
  /** Counts the bytes that a call brings, until it lets them go. */
  hold(): { add(bytes: number): void; letGo(): void }
  /** So much is open that what comes is not even read. */
  isFull(): boolean
}
