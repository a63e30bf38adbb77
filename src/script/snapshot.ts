import type { ProviderId } from '#contract/providerIds.ts'
import type { ConsentCategory, ValueMode } from '#contract/script.ts'
import { createServedHosts, type ServedHosts } from '#tag/servedHosts.ts'

/** The version of a secret that a deployed script uses. The value stays sealed in the store. */
export type SecretRef = { secretId: string; version: number }

/** A deployed script, as the edge and the worker use it. */
export type SnapshotScript = {
  scriptId: string
  name: string
  providerId: ProviderId
  consentCategory?: ConsentCategory
  geoRegions?: string
  purchaseValueMode: ValueMode
  /** Its deliveries wait. */
  paused?: true
  secrets: Record<string, SecretRef>
}

/**
 * A live tag: its settings and its deployed scripts. Immutable, numbered from 1.
 * The only type in which data passes from control to edge and worker.
 */
export type Snapshot = {
  tagId: string
  teamId: string
  number: number
  name: string
  domain: string
  hosts: string[]
  allowedOrigins: string[]
  consent: 'enabled' | 'disabled'
  gpc: boolean
  sameSite: 'Lax' | 'Strict' | 'None'
  serverToken: 'optional' | 'required'
  /** How long an event that lacks a consent is held, in minutes. Default: off. */
  hold?: 'off' | number
  /** A version of the manifest. Default: `latest`. */
  sdkVersion?: string
  edgeVersion?: string
  plugins: { plugin: string; settings?: Record<string, unknown> }[]
  scripts: SnapshotScript[]
}

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
