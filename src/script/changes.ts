import { isDeepStrictEqual } from 'node:util'
import type { DeploymentChanges } from '#contract/deployment.ts'
import type { Snapshot, SnapshotScript } from './snapshot.ts'

type Members = Readonly<Record<string, unknown>>

/** The names of the members that differ, in the order of the alphabet. */
function differing(before: Members, after: Members): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name])).sort()
}

const settingsOf = ({ tagId: _, teamId: __, number: ___, scripts: ____, ...settings }: Snapshot): Members => settings

/** A script with each of its secrets as a member of its own: which version there is, never what it says. */
const membersOf = ({ scriptId: _, secrets, ...settings }: SnapshotScript): Members => ({
  ...settings,
  ...Object.fromEntries(Object.entries(secrets).map(([variable, ref]) => [`secrets.${variable}`, ref])),
})

type ScriptChange = DeploymentChanges['scripts'][number]

function scriptChanges(before: readonly SnapshotScript[], after: readonly SnapshotScript[]): ScriptChange[] {
  const old = new Map(before.map((script) => [script.scriptId, script]))
  const still = new Set(after.map(({ scriptId }) => scriptId))
  const there = after.flatMap((script): ScriptChange[] => {
    const { scriptId, name } = script
    const was = old.get(scriptId)
    if (!was) return [{ scriptId, name, change: 'added' as const, fields: [] }]
    const fields = differing(membersOf(was), membersOf(script))
    return fields.length > 0 ? [{ scriptId, name, change: 'changed' as const, fields }] : []
  })
  const gone = before.filter(({ scriptId }) => !still.has(scriptId))
  return [...there, ...gone.map(({ scriptId, name }) => ({ scriptId, name, change: 'removed' as const, fields: [] }))]
}

/** How a tag that is live differs from what was live before; all of a first deployment is new. */
export const changesBetween = (before: Snapshot | undefined, after: Snapshot): DeploymentChanges => ({
  settings: differing(before ? settingsOf(before) : {}, settingsOf(after)),
  scripts: scriptChanges(before?.scripts ?? [], after.scripts),
})
