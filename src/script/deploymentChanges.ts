import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { DeploymentChanges } from '#contract/deployment.ts'
import type { ValueChange } from '#contract/revision.ts'
import type { Snapshot, SnapshotScript } from './snapshot.ts'

type FieldValues = Readonly<Record<string, unknown>>

/** The names of the members that differ, sorted. */
function differingFields(before: FieldValues, after: FieldValues): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name])).sort()
}

export const tagFields = ({
  tagId: _,
  teamId: __,
  number: ___,
  scripts: ____,
  shops,
  ...settings
}: Snapshot): FieldValues => ({
  ...settings,
  // the hash of a sealed secret only reveals that it changed
  ...(shops && {
    shops: shops.map(({ secrets, ...shop }) => ({
      ...shop,
      secrets: Object.entries(secrets).map(
        ([name, sealed]) => `${name} ${createHash('sha256').update(sealed).digest('hex').slice(0, 8)}`,
      ),
    })),
  }),
})

/** The values that differ between two sets of fields. An absent field has no value. */
export function differingValues(before: FieldValues, after: FieldValues): ValueChange[] {
  return differingFields(before, after).map((name) => ({
    name,
    ...(before[name] !== undefined && { before: before[name] }),
    ...(after[name] !== undefined && { after: after[name] }),
  }))
}

/** A script with each secret reference as a member. The reference has the secret's version, never its value. */
export const scriptFields = ({ scriptId: _, secrets, ...settings }: SnapshotScript): FieldValues => ({
  ...settings,
  ...Object.fromEntries(Object.entries(secrets).map(([variable, ref]) => [`secrets.${variable}`, ref])),
})

type ScriptChange = DeploymentChanges['scripts'][number]

function diffScripts(before: readonly SnapshotScript[], after: readonly SnapshotScript[]): ScriptChange[] {
  const beforeById = new Map(before.map((script) => [script.scriptId, script]))
  const afterIds = new Set(after.map(({ scriptId }) => scriptId))
  const changed = after.flatMap((script): ScriptChange[] => {
    const { scriptId, name } = script
    const previous = beforeById.get(scriptId)
    if (!previous) return [{ scriptId, name, change: 'added' as const, fields: [] }]
    const fields = differingFields(scriptFields(previous), scriptFields(script))
    return fields.length > 0 ? [{ scriptId, name, change: 'changed' as const, fields }] : []
  })
  const removed = before.filter(({ scriptId }) => !afterIds.has(scriptId))
  return [
    ...changed,
    ...removed.map(({ scriptId, name }) => ({ scriptId, name, change: 'removed' as const, fields: [] })),
  ]
}

/** The differences between two snapshots of a tag. Everything is new if there is no previous snapshot. */
export const diffSnapshots = (before: Snapshot | undefined, after: Snapshot): DeploymentChanges => ({
  settings: differingFields(before ? tagFields(before) : {}, tagFields(after)),
  scripts: diffScripts(before?.scripts ?? [], after.scripts),
})
