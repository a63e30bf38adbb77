import type { Snapshot } from '#store/snapshot.ts'
import { createServedHosts, type ServedHosts } from '#tag/servedHosts.ts'

export type { SecretRef, Snapshot, SnapshotScript } from '#store/snapshot.ts'

/** The snapshots that are live in this process. */
export type Snapshots = {
  get(tagId: string): Snapshot | undefined
  /** The tag of a host name: the tag names the host, and DNS has proved its claim. */
  byHost(host: string): Snapshot | undefined
  /** Puts a snapshot live at once. An older number never replaces a newer one. */
  put(snapshot: Snapshot): void
  /** Removes a deleted tag. */
  drop(tagId: string): void
  /** The live script is paused. */
  isPaused(scriptId: string): boolean
}

export function createSnapshots(
  initial: readonly Snapshot[] = [],
  hosts: ServedHosts = createServedHosts(),
): Snapshots {
  const byTag = new Map<string, Snapshot>()
  const paused = new Set<string>()
  function drop(tagId: string): void {
    const { scripts = [] } = byTag.get(tagId) ?? {}
    for (const { scriptId } of scripts) paused.delete(scriptId)
    byTag.delete(tagId)
  }
  function put(snapshot: Snapshot): void {
    const live = byTag.get(snapshot.tagId)
    if (live && live.number >= snapshot.number) return
    drop(snapshot.tagId)
    byTag.set(snapshot.tagId, snapshot)
    for (const script of snapshot.scripts) if (script.paused) paused.add(script.scriptId)
  }
  initial.forEach(put)
  return {
    get: (tagId) => byTag.get(tagId),
    byHost(host) {
      const snapshot = byTag.get(hosts.tagOf(host) ?? '')
      return snapshot?.hosts.includes(host) ? snapshot : undefined
    },
    put,
    drop,
    isPaused: (scriptId) => paused.has(scriptId),
  }
}
