import type { Authenticate } from '#account/access.ts'
import type { Keyring } from '#account/keyring.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Meter } from '#kit/meter.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { Stream } from '#stream/stream.ts'

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
  authenticate: Authenticate
  /** Seconds after which to come again, while no event can be taken. */
  busy(): number | undefined
}
