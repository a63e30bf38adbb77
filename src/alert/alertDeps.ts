import type { WorkLeases } from '#cluster/cluster.ts'
import type { AlertKind } from '#contract/alert.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { HookDeps } from '#script/hook.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { Store } from '#store/store.ts'

export type AlertDeps = Pick<HookDeps, 'environment' | 'keys' | 'send'> & {
  clock: Clock
  log: Log
  leases: Pick<WorkLeases, 'holds'>
  snapshots: Pick<Snapshots, 'get'>
  store: Pick<Store, 'write' | 'hook' | 'hooks' | 'alerts' | 'queries'>
}

/** For example `channel.paused`. */
export const alertEventType = (kind: AlertKind) => `channel.${kind}`
