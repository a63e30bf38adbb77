import { isDeepStrictEqual } from 'node:util'
import { fault, type HookError } from '#contract/fault.ts'
import type { Clock } from '#kit/clock.ts'
import type { Change, Deployment, ScriptRecord, Store, TagRecord, TagSettings } from '#store/store.ts'
import { changesBetween } from './changes.ts'
import { askHooks, type HookWorld } from './hook.ts'
import type { Snapshot, SnapshotScript, Snapshots } from './snapshot.ts'

/** What deploying stands on. */
export type DeployWorld = HookWorld & {
  clock: Pick<Clock, 'now'>
  store: Pick<Store, 'write' | 'deployment' | 'hooks'>
  snapshots: Pick<Snapshots, 'put'>
}

/** What one write changes in what is live: other drafts stay drafts. */
export type LiveChange =
  | { put: ScriptRecord }
  | { drop: string }
  | { pause: string; paused: boolean }
  | { set: Partial<TagSettings & Pick<TagRecord, 'name'>> }
  /** All that is saved. */
  | { publish: TagRecord; scripts: readonly ScriptRecord[] }
  /** The content of an older snapshot; which scripts are paused now is no content. */
  | { activate: Snapshot; paused: ReadonlySet<string> }

/** A saved script as the edge holds it. */
const liveScript = ({
  scriptId,
  name,
  providerId,
  consentCategory,
  geoRegions,
  paused,
  ...rest
}: ScriptRecord): SnapshotScript => ({
  scriptId,
  name,
  providerId,
  ...(consentCategory !== undefined && { consentCategory }),
  ...(geoRegions !== undefined && { geoRegions }),
  purchaseValueMode: rest.purchaseValueMode ?? 'gross',
  ...(paused && { paused }),
  secrets: rest.secrets,
})

/** Whether a script is live otherwise than it is saved, or not at all; a pause is no difference. */
export function isDraft(script: ScriptRecord, live: Snapshot | undefined): boolean {
  const { paused: _, ...saved } = liveScript(script)
  const { paused: __, ...deployed } = live?.scripts.find(({ scriptId }) => scriptId === script.scriptId) ?? {}
  return !isDeepStrictEqual(saved, deployed)
}

function pausing({ paused: _, ...script }: SnapshotScript, isPaused: boolean): SnapshotScript {
  return isPaused ? { ...script, paused: true } : script
}

/** A script keeps its place. */
function withScript(live: Snapshot, record: ScriptRecord): Snapshot {
  const put = liveScript(record)
  const isThere = live.scripts.some(({ scriptId }) => scriptId === put.scriptId)
  const scripts = live.scripts.map((script) => (script.scriptId === put.scriptId ? put : script))
  return { ...live, scripts: isThere ? scripts : [...scripts, put] }
}

function changed(live: Snapshot, change: LiveChange): Snapshot {
  const { scripts, hosts } = live
  if ('put' in change) return withScript(live, change.put)
  if ('drop' in change) return { ...live, scripts: scripts.filter(({ scriptId }) => scriptId !== change.drop) }
  if ('set' in change) return { ...live, ...change.set }
  if ('pause' in change) {
    const { pause, paused } = change
    return { ...live, scripts: scripts.map((each) => (each.scriptId === pause ? pausing(each, paused) : each)) }
  }
  if ('publish' in change) {
    const { tagId, teamId, name, settings } = change.publish
    return { tagId, teamId, number: live.number, name, ...settings, scripts: change.scripts.map(liveScript) }
  }
  // A host name that the tag has given up since may lead to another tag by now.
  const { activate, paused } = change
  return { ...activate, hosts, scripts: activate.scripts.map((each) => pausing(each, paused.has(each.scriptId))) }
}

/** The last live snapshot and one change to it. */
export const nextSnapshot = (live: Snapshot, change: LiveChange): Snapshot => ({
  ...changed(live, change),
  number: live.number + 1,
})

export type Deploying = {
  change: LiveChange
  by: string
  /** What is written with it. */
  saved: readonly Change[]
  /** The older deployment whose content this one has. */
  activates?: number
  /** It goes live whatever the hooks say. */
  isUnstoppable?: boolean
}
/** What went live, what was live before it, and the hooks that objected to what they could not stop. */
export type Deployed = { deployment: Deployment; before: Snapshot; hookErrors: readonly HookError[] }

/**
 * Asks the team's hooks, writes what is saved together with the deployment that makes it live, and makes it live: when
 * this resolves, the next event meets the change. Throws hookFailed, and Conflict when another deployment took the number.
 */
export async function deploy(
  on: DeployWorld,
  tagId: string,
  { change, by, saved, activates, isUnstoppable }: Deploying,
): Promise<Deployed> {
  const live = await on.store.deployment(tagId)
  if (!live) throw new Error(`tag ${tagId} was never deployed`)
  const before = live.snapshot
  const snapshot = nextSnapshot(before, change)
  const { number, teamId } = snapshot
  const hookErrors = await askHooks({ teamId, tagId, number, by, changes: changesBetween(before, snapshot) }, on)
  if (hookErrors.length > 0 && !isUnstoppable) throw fault('hookFailed', { hookErrors })
  const createdAt = on.clock.now()
  const deployment = { tagId, number, snapshot, by, createdAt, ...(activates !== undefined && { activates }) }
  await on.store.write([{ add: 'deployment', row: deployment }, ...saved])
  on.snapshots.put(snapshot)
  return { deployment, before, hookErrors }
}
