import type { Clock } from '#kit/clock.ts'
import type { Change, ScriptRecord, Store } from '#store/store.ts'
import type { Snapshot, SnapshotScript, Snapshots } from './snapshot.ts'

/** What deploying stands on. */
export type DeployWorld = {
  clock: Pick<Clock, 'now'>
  store: Pick<Store, 'write' | 'deployment'>
  snapshots: Pick<Snapshots, 'put'>
}

/** What one write changes in what is live: other drafts stay drafts. */
export type LiveChange = { put: ScriptRecord } | { drop: string }

/** A saved script as the edge holds it. */
const liveScript = ({
  scriptId,
  name,
  providerId,
  consentCategory,
  geoRegions,
  ...rest
}: ScriptRecord): SnapshotScript => ({
  scriptId,
  name,
  providerId,
  ...(consentCategory !== undefined && { consentCategory }),
  ...(geoRegions !== undefined && { geoRegions }),
  purchaseValueMode: rest.purchaseValueMode ?? 'gross',
  secrets: rest.secrets,
})

/** The last live snapshot and one change to it; a script keeps its place. */
export function nextSnapshot(live: Snapshot, change: LiveChange): Snapshot {
  const changed = 'put' in change ? change.put.scriptId : change.drop
  const put = 'put' in change ? liveScript(change.put) : undefined
  const isThere = live.scripts.some(({ scriptId }) => scriptId === changed)
  const scripts = live.scripts.flatMap((script) => (script.scriptId !== changed ? [script] : put ? [put] : []))
  return { ...live, number: live.number + 1, scripts: isThere || !put ? scripts : [...scripts, put] }
}

/**
 * Writes what is saved together with the deployment that makes it live, and makes it live: when this resolves, the next
 * event meets the change. Throws Conflict when another deployment took the number.
 */
export async function deploy(
  on: DeployWorld,
  tagId: string,
  { change, by, saved }: { change: LiveChange; by: string; saved: readonly Change[] },
): Promise<void> {
  const live = await on.store.deployment(tagId)
  if (!live) throw new Error(`tag ${tagId} was never deployed`)
  const snapshot = nextSnapshot(live.snapshot, change)
  const row = { tagId, number: snapshot.number, snapshot, by, createdAt: on.clock.now() }
  await on.store.write([{ add: 'deployment', row }, ...saved])
  on.snapshots.put(snapshot)
}
