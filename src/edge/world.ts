import type { Authenticate } from '#account/access.ts'
import type { Keyring } from '#account/keyring.ts'
import type { EventTaken } from '#contract/event.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Meter } from '#kit/meter.ts'
import type { SdkBuild } from '#manifest/sdk.ts'
import type { Provider } from '#provider/provider.ts'
import type { Snapshot, SnapshotScript, Snapshots } from '#script/snapshot.ts'
import type { Stream } from '#stream/stream.ts'
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
  /** CIDR ranges of proxies whose X-Forwarded-For is believed. */
  trustProxy: readonly string[]
  clock: Clock
  log: Log
  meter: Meter
  keys: Keyring
  snapshots: Snapshots
  stream: Stream
  people: People
  /** The providers that this build has. */
  providers: Readonly<Partial<Record<ProviderId, Pick<Provider, 'captures'>>>>
  authenticate: Authenticate
  /** The builds of the browser SDK, the newest first. */
  sdk: readonly SdkBuild[]
  /** What the page's part of a channel may know: the values of its variables for the browser. Never a sensitive one. */
  variables(tag: Snapshot, script: SnapshotScript): Promise<Record<string, string>>
  /** How the deliveries of an event stand, as soon as they have ended or after 10 s. */
  settled(tag: Snapshot, eventId: string): Promise<NonNullable<EventTaken['deliveries']>>
  /** Seconds after which to come again, while no event can be taken. */
  busy(): number | undefined
}
