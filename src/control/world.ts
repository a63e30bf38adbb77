import type { Authenticate } from '#account/access.ts'
import type { Keyring } from '#account/keyring.ts'
import type { SealingKeys } from '#account/sealingKeys.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { Store } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'

/** What the control plane of one environment stands on. */
export type ControlWorld = {
  environment: EnvironmentName
  /** `{origin}/v1` or `{origin}/sandbox/v1` */
  baseUrl: string
  tagUrl(tagId: string): string
  brand: string
  clock: Clock
  log: Log
  store: Store
  stream: Stream
  keys: Keyring
  sealingKeys: SealingKeys
  snapshots: Snapshots
  authenticate: Authenticate
}
