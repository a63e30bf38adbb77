import type { Keyring } from '#account/keyring.ts'
import type { SlotOwnership, WorkLeases } from '#cluster/cluster.ts'
import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { RecentRecords } from '#event/recentRecords.ts'
import type { Locate } from '#geo/locate.ts'
import type { IntakeLog } from '#journal/intakeLog.ts'
import type { RetentionPolicy } from '#journal/retentionPolicy.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Meter } from '#kit/meter.ts'
import type { IntakeRate } from '#limit/intakeRate.ts'
import type { Rates } from '#plugin/plugin.ts'
import type { PluginCatalogue } from '#plugin/runPlugins.ts'
import type { SendRequest } from '#provider/engine/send.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { RunCode } from '#sandbox/sharedSandbox.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { Store } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import type { Profiles } from '#user/profiles.ts'
import type { CompletionWatcher } from './completionWatcher.ts'

/**
 * A change of a channel that its owner can be alerted to. `paused`: the key is rejected (`keyRejected`) or the vendor
 * is down (`vendorDown`, `throttled`). `resumed`: by another key or by hand. `recovered`: the vendor accepts events
 * again. `dead`: the channel gave up a delivery. `at`: epoch ms.
 */
export type ChannelEvent = {
  /** `failing`: a delivery was refused. This becomes an alert if the health of the channel is `failing`. */
  kind: 'paused' | 'resumed' | 'failing' | 'dead' | 'recovered'
  tagId: string
  scriptId: string
  reason: DeliveryReason
  at: number
}

/** The dependencies of the delivery worker of one environment. */
export type DeliveryDeps = {
  environment: EnvironmentName
  brand: string
  clock: Clock
  log: Log
  meter: Meter
  store: Store
  stream: Stream
  /** The slots that this worker owns. */
  ownership: SlotOwnership
  /** Leases for work that only one worker does. */
  leases: Pick<WorkLeases, 'holds'>
  recentRecords?: Pick<RecentRecords, 'take'>
  /** Counts the latencies of attempts, and the match keys of delivered events. */
  intakeLog: Pick<IntakeLog, 'addLatency' | 'addMatch'>
  /** The rate limit of events that customer code adds. */
  intakeRate: IntakeRate
  keys: Keyring
  snapshots: Snapshots
  /** The profiles of the tags' users. */
  profiles: Profiles
  /** Notified when a delivery ends. */
  completions: Pick<CompletionWatcher, 'notify'>
  locate: Locate
  /** The providers of this build. */
  providers: Readonly<Partial<Record<ProviderId, Provider>>>
  /** The plugins of this build. */
  plugins: PluginCatalogue
  /** The operator's exchange rates. */
  rates(): Rates | undefined
  keep: RetentionPolicy
  /** Sends one request. A failure of the remote side is a result, not an exception. */
  send: SendRequest
  /** Runs customer code in the sandbox. */
  runCode: RunCode
  tagUrl(tagId: string): string
  /** Reports a change of a channel. Never throws and does not block. */
  onChannelEvent(event: ChannelEvent): void
  /** Returns a number from 0 to 1, for jitter. */
  random(): number
}
