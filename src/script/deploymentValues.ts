import type { DeploymentValues } from '#contract/deployment.ts'
import type { ValueChange } from '#contract/revision.ts'
import { differingValues, scriptFields, tagFields } from './deploymentChanges.ts'
import type { SecretRef, Snapshot, SnapshotScript } from './snapshot.ts'

/** Opens the value of a variable that is not sensitive; undefined for a sensitive one. */
export type OpenShown = (script: SnapshotScript, variable: string, ref: SecretRef) => Promise<string | undefined>

const prefix = 'secrets.'

/** One side of a changed secret: its value if it may be shown, otherwise the number of its version. */
async function shownSide(script: SnapshotScript | undefined, name: string, openShown: OpenShown) {
  const variable = name.slice(prefix.length)
  const ref = script?.secrets[variable]
  if (!script || !ref) return undefined
  const value = await openShown(script, variable, ref)
  return value === undefined ? { value: ref.version, isHidden: true } : { value, isHidden: false }
}

async function showChange(
  change: ValueChange,
  { before, after, openShown }: { before?: SnapshotScript; after?: SnapshotScript; openShown: OpenShown },
): Promise<ValueChange> {
  const { name } = change
  if (!name.startsWith(prefix)) return change
  const [old, now] = await Promise.all([shownSide(before, name, openShown), shownSide(after, name, openShown)])
  return {
    name,
    ...(old && { before: old.value }),
    ...(now && { after: now.value }),
    ...((old?.isHidden || now?.isHidden) && { isHidden: true }),
  }
}

type Sides = { before?: SnapshotScript | undefined; after?: SnapshotScript | undefined }

/** The values that differ between two states of a script. An absent side has none. */
export const diffScriptValues = ({ before, after }: Sides, openShown: OpenShown): Promise<ValueChange[]> => {
  const shown = { ...(before && { before }), ...(after && { after }), openShown }
  const changes = differingValues(before ? scriptFields(before) : {}, after ? scriptFields(after) : {})
  return Promise.all(changes.map((change) => showChange(change, shown)))
}

/** The differences between two snapshots of a tag, with values. Everything is new if there is no previous snapshot. */
export async function diffValues(
  before: Snapshot | undefined,
  after: Snapshot,
  openShown: OpenShown,
): Promise<DeploymentValues> {
  const old = new Map((before?.scripts ?? []).map((script) => [script.scriptId, script]))
  const now = new Map(after.scripts.map((script) => [script.scriptId, script]))
  const scripts = [...new Set([...now.keys(), ...old.keys()])].map(async (scriptId) => {
    const sides = { before: old.get(scriptId), after: now.get(scriptId) }
    const { name, providerId } = (sides.after ?? sides.before)!
    const change = sides.before ? (sides.after ? ('changed' as const) : ('removed' as const)) : ('added' as const)
    return { scriptId, name, providerId, change, values: await diffScriptValues(sides, openShown) }
  })
  return {
    settings: differingValues(before ? tagFields(before) : {}, tagFields(after)),
    scripts: (await Promise.all(scripts)).filter(({ change, values }) => change !== 'changed' || values.length > 0),
  }
}
