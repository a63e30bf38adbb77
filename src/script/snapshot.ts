import type { ProviderId } from '#contract/providerIds.ts'
import type { ConsentCategory, ValueMode } from '#contract/script.ts'

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
  plugins: { plugin: string; settings?: Record<string, unknown> }[]
  scripts: SnapshotScript[]
}

/** The snapshots that are live in this process. */
export type Snapshots = {
  get(tagId: string): Snapshot | undefined
  /** Live as soon as this returns; an older number never replaces a newer one. */
  put(snapshot: Snapshot): void
}

export function liveSnapshots(from: readonly Snapshot[] = []): Snapshots {
  const byTag = new Map(from.map((each) => [each.tagId, each]))
  return {
    get: (tagId) => byTag.get(tagId),
    put(snapshot) {
      const live = byTag.get(snapshot.tagId)
      if (!live || live.number < snapshot.number) byTag.set(snapshot.tagId, snapshot)
    },
  }
}
