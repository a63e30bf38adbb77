import type { Snapshot } from '#store/snapshot.ts'
import { createServedHosts, type ServedHosts } from '#tag/servedHosts.ts'

export type { SecretRef, Snapshot, SnapshotScript } from '#store/snapshot.ts'

/** The snapshots that are live in this process. */
export type Snapshots = {
  get(tagId: string): Snapshot | undefined
  /** The tag that lists this host name and has proved its claim in DNS. */
  byHost(host: string): Snapshot | undefined
  /** Puts a snapshot live at once. An older number never replaces a newer one. */
  put(snapshot: Snapshot): void
  /** Removes a deleted tag. */
  drop(tagId: string): void
  all(): Snapshot[]
  pausedScripts(): string[]
  /** True if somebody paused the script: its deliveries wait. A pause is not part of a deployment. */
  isPaused(scriptId: string): boolean
  setPaused(scriptId: string, isPaused: boolean): void
}

export function createSnapshots(
  initial: readonly Snapshot[] = [],
  hosts: ServedHosts = createServedHosts(),
  pausedScripts: readonly string[] = [],
): Snapshots {
  const byTag = new Map<string, Snapshot>()
  const paused = new Set(pausedScripts)
  function put(snapshot: Snapshot): void {
    const live = byTag.get(snapshot.tagId)
    if (!live || live.number < snapshot.number) byTag.set(snapshot.tagId, snapshot)
  }
  initial.forEach(put)
  return {
    get: (tagId) => byTag.get(tagId),
    byHost(host) {
      const snapshot = byTag.get(hosts.tagOf(host) ?? '')
      return snapshot?.hosts.includes(host) ? snapshot : undefined
    },
    put,
    drop(tagId) {
      for (const { scriptId } of byTag.get(tagId)?.scripts ?? []) paused.delete(scriptId)
      byTag.delete(tagId)
    },
    all: () => [...byTag.values()],
    pausedScripts: () => [...paused],
    isPaused: (scriptId) => paused.has(scriptId),
    setPaused(scriptId, isPaused) {
      if (isPaused) paused.add(scriptId)
      else paused.delete(scriptId)
    },
  }
}
