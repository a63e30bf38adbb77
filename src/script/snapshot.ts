import type { ProviderId } from '#contract/providerIds.ts'
import type { ConsentCategory, ValueMode } from '#contract/script.ts'
import { type ServedHosts, servedHosts } from '#tag/servedHosts.ts'

/** Which version of a secret a deployed script uses. The value stays in the store, sealed. */
export type SecretRef = { secretId: string; version: number }

/** A script as the edge and the worker hold it. */
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
 * A tag as it is live: its settings and its deployed scripts, immutable, numbered from 1.
 * The only shape in which data crosses from control to edge and worker.
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
  /** For how many minutes an event waits for a consent that it lacks; absent is off. */
  hold?: 'off' | number
  /** A version of the manifest, or `latest`, which absent is too. */
  sdkVersion?: string
  edgeVersion?: string
  plugins: { plugin: string; settings?: Record<string, unknown> }[]
  scripts: SnapshotScript[]
}

/** The snapshots that are live in this process. */
export type Snapshots = {
  get(tagId: string): Snapshot | undefined
  /** The tag that a host name leads to: it names the host, and DNS has shown that it may. */
  ofHost(host: string): Snapshot | undefined
  /** Live as soon as this returns; an older number never replaces a newer one. */
  put(snapshot: Snapshot): void
  /** The tag is gone. */
  drop(tagId: string): void
  /** Whether a script that is live is paused. */
  isPaused(scriptId: string): boolean
}

export function liveSnapshots(from: readonly Snapshot[] = [], hosts: ServedHosts = servedHosts()): Snapshots {
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
  from.forEach(put)
  return {
    get: (tagId) => byTag.get(tagId),
    ofHost(host) {
      const snapshot = byTag.get(hosts.tagOf(host) ?? '')
      return snapshot?.hosts.includes(host) ? snapshot : undefined
    },
    put,
    drop,
    isPaused: (scriptId) => paused.has(scriptId),
  }
}
