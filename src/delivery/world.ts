import type { Keyring } from '#account/keyring.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { Locate } from '#geo/locate.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Meter } from '#kit/meter.ts'
import type { Rates } from '#plugin/plugin.ts'
import type { Plugins } from '#plugin/run.ts'
import type { Provider } from '#provider/provider.ts'
import type { SendRequest } from '#provider/send.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { Store } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import type { People } from '#user/people.ts'
import type { SettledWatch } from './settled.ts'

/** What the delivery worker of one environment stands on. */
export type DeliveryWorld = {
  environment: EnvironmentName
  brand: string
  clock: Clock
  log: Log
  meter: Meter
  store: Store
  stream: Stream
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
  /** Sends one request and never throws for what the other side does. */
  send: SendRequest
  /** A number from 0 to 1, for jitter. */
  random(): number
}
