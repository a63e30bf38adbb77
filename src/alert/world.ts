import type { AlertKind } from '#contract/alert.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import type { HookWorld } from '#script/hook.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { Store } from '#store/store.ts'

/** What telling stands on. */
export type AlertWorld = Pick<HookWorld, 'environment' | 'keys' | 'send'> & {
  clock: Clock
  log: Log
  snapshots: Pick<Snapshots, 'get'>
  store: Pick<Store, 'write' | 'hook' | 'hooks' | 'alerts'>
}

/** `channel.paused` */
export const whatOf = (kind: AlertKind) => `channel.${kind}`
