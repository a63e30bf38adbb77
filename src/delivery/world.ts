import type { Keyring } from '#account/keyring.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { Reason } from '#contract/outcome.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { Locate } from '#geo/locate.ts'
import type { Keep } from '#journal/keep.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Meter } from '#kit/meter.ts'
import type { IntakeRate } from '#limit/intakeRate.ts'
import type { Rates } from '#plugin/plugin.ts'
import type { Plugins } from '#plugin/run.ts'
import type { SendRequest } from '#provider/engine/send.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { RunCode } from '#sandbox/shared.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { Store } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import type { People } from '#user/people.ts'
import type { SettledWatch } from './settled.ts'

/**
 * What befell a channel that its owner may want to know. It is paused when its key is rejected (`keyRejected`) or its vendor is
 * down (`vendorDown`, `throttled`); resumed with another key or by hand; recovered when the vendor takes its events again;
 * dead: one of its deliveries was given up. `at`: epoch ms.
 */
export type ChannelEvent = {
  kind: 'paused' | 'resumed' | 'dead' | 'recovered'
  tagId: string
  scriptId: string
  reason: Reason
  at: number
}

/** What the delivery worker of one environment stands on. */
export type DeliveryWorld = {
  environment: EnvironmentName
  brand: string
  clock: Clock
  log: Log
  meter: Meter
  store: Store
  stream: Stream
  /** How fast customers' code may make events. */
  intakeRate: IntakeRate
  keys: Keyring
  snapshots: Snapshots
  /** What is known of the users of the tags. */
  people: People
  /** Is told when a delivery has come to an end. */
  settled: Pick<SettledWatch, 'ended'>
  locate: Locate
  /** The providers that this build has. */
  providers: Readonly<Partial<Record<ProviderId, Provider>>>
  /** The plugins that this build has, and the operator's exchange rates. */
  plugins: Plugins
  rates(): Rates | undefined
  /** What is kept, and for how long. */
  keep: Keep
  /** Sends one request and never throws for what the other side does. */
  send: SendRequest
  /** Runs customers' code behind the walls of the sandbox. */
  runCode: RunCode
  tagUrl(tagId: string): string
  /** Is told of channels; never throws, and holds nothing up. */
  told(event: ChannelEvent): void
  /** A number from 0 to 1, for jitter. */
  random(): number
}
