import type { HookError } from '#contract/errorObject.ts'
import { fault } from '#contract/fault.ts'
import type { Clock } from '#kit/clock.ts'
import { toSnapshotScript } from '#store/snapshotParts.ts'
import type { DeploymentRecord, ScriptRecord, Store, StoreChange, TagRecord, TagSettings } from '#store/store.ts'
import { diffSnapshots } from './deploymentChanges.ts'
import { askDeployHooks, type HookDeps } from './hook.ts'
import type { Snapshot, SnapshotScript, Snapshots } from './snapshot.ts'

export type DeployDeps = HookDeps & {
  clock: Pick<Clock, 'now'>
  store: Pick<Store, 'write' | 'deployment' | 'hooks'>
  snapshots: Pick<Snapshots, 'put'>
}

/** A change to the live snapshot. Other drafts stay drafts. */
export type LiveChange =
  /** `fields`: the published parts of a live script, such as `geoRegions` and `secrets.API_KEY`; absent: all. */
  | { put: ScriptRecord; fields?: ReadonlySet<string> }
  | { drop: string }
  | { set: Partial<TagSettings & Pick<TagRecord, 'name'>> }
  /** Several changes, in this order. */
  | { all: readonly LiveChange[] }
  /** Publishes everything that is saved. */
  | { publish: TagRecord; scripts: readonly ScriptRecord[] }
  /** Activates the content of an older snapshot. */
  | { activate: Snapshot }

/** The live script with some fields of the saved one. */
export function withFields(
  { secrets: liveSecrets, ...live }: SnapshotScript,
  record: ScriptRecord,
  fields: ReadonlySet<string>,
): SnapshotScript {
  const { secrets, ...saved } = toSnapshotScript(record)
  const merge = <Values extends object>(old: Values, now: Values, prefix = '') =>
    Object.fromEntries([
      ...Object.entries(old).filter(([name]) => !fields.has(`${prefix}${name}`)),
      ...Object.entries(now).filter(([name]) => fields.has(`${prefix}${name}`)),
    ])
  return { ...merge<object>(live, saved), secrets: merge(liveSecrets, secrets, 'secrets.') } as SnapshotScript
}

/** Adds a script, or replaces some fields of it. A replaced script keeps its position. */
function withScript(live: Snapshot, record: ScriptRecord, fields: ReadonlySet<string> | undefined): Snapshot {
  const put = toSnapshotScript(record)
  const exists = live.scripts.some(({ scriptId }) => scriptId === put.scriptId)
  const replaced = (script: SnapshotScript) => (fields ? withFields(script, record, fields) : put)
  const scripts = live.scripts.map((script) => (script.scriptId === put.scriptId ? replaced(script) : script))
  return { ...live, scripts: exists ? scripts : [...scripts, put] }
}

function applyLiveChange(live: Snapshot, change: LiveChange): Snapshot {
  const { scripts, hosts } = live
  if ('all' in change) return change.all.reduce(applyLiveChange, live)
  if ('put' in change) return withScript(live, change.put, change.fields)
  if ('drop' in change) return { ...live, scripts: scripts.filter(({ scriptId }) => scriptId !== change.drop) }
  if ('set' in change) return { ...live, ...change.set }
  if ('publish' in change) {
    const { tagId, teamId, name, settings } = change.publish
    return { tagId, teamId, number: live.number, name, ...settings, scripts: change.scripts.map(toSnapshotScript) }
  }
  // Keep the current host names: a host that the tag has given up may belong to another tag now.
  return { ...change.activate, hosts }
}

/** The snapshot after a change to the live one. */
export const nextSnapshot = (live: Snapshot, change: LiveChange): Snapshot => ({
  ...applyLiveChange(live, change),
  number: live.number + 1,
})

export type DeployRequest = {
  change: LiveChange
  by: string
  /** The state that the first deployment of a new tag is based on: number 0, without scripts. */
  newTag?: Snapshot
  /** Changes that are written together with the deployment. */
  saved: readonly StoreChange[]
  /** The older deployment that is activated again. */
  activates?: number
  /** The deployment goes live even if hooks object. */
  ignoresHooks?: boolean
}
/** `hookErrors`: objections of hooks that were ignored. */
export type DeployResult = { deployment: DeploymentRecord; before: Snapshot; hookErrors: readonly HookError[] }

/**
 * Asks the team's hooks, writes the deployment together with the saved changes, and puts the snapshot live. When this
 * resolves, the change applies to the next event. Throws hookFailed, and Conflict if another deployment took the
 * number.
 */
export async function deploy(
  deps: DeployDeps,
  tagId: string,
  { change, by, newTag, saved, activates, ignoresHooks }: DeployRequest,
): Promise<DeployResult> {
  const before = newTag ?? (await deps.store.deployment(tagId))?.snapshot
  if (!before) throw new Error(`The tag ${tagId} has no deployment.`)
  const snapshot = nextSnapshot(before, change)
  const { number, teamId } = snapshot
  const hookErrors = await askDeployHooks({ teamId, tagId, number, by, changes: diffSnapshots(before, snapshot) }, deps)
  if (hookErrors.length > 0 && !ignoresHooks) throw fault('hookFailed', { hookErrors })
  const createdAt = deps.clock.now()
  const deployment = { tagId, number, snapshot, by, createdAt, ...(activates !== undefined && { activates }) }
  const previous = newTag ? {} : { previous: before }
  await deps.store.write([...saved, { add: 'deployment', row: deployment, ...previous }])
  deps.snapshots.put(snapshot)
  return { deployment, before, hookErrors }
}
