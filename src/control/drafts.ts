import type { Draft } from '#contract/deployment.ts'
import { fault } from '#contract/fault.ts'
import { nextSnapshot } from '#script/deploy.ts'
import { differingValues, scriptFields, tagFields } from '#script/deploymentChanges.ts'
import { diffValues } from '#script/deploymentValues.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'
import { toSnapshotScript } from '#store/snapshotParts.ts'
import type { ScriptRecord, TagRecord } from '#store/store.ts'
import { nextRevision } from '#tag/revision.ts'
import { emptySnapshot, toTagFault } from '#tag/tag.ts'
import { withChangeLock } from './changeLock.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { openShown, readSavedScripts } from './deployments.ts'
import { type SavedChange, saveChanges } from './saveChange.ts'
import { isNameTaken } from './scripts.ts'
import { toScriptReset } from './scriptWrite.ts'
import { requireTag, toTagChange, updatedTag } from './tags.ts'

type Author = { by: string; nowMs: number }

async function showDraft(deps: ControlDeps, publish: TagRecord): Promise<Draft> {
  const { tagId, teamId } = publish
  const live = (await deps.store.deployment(tagId))!
  const next = nextSnapshot(live.snapshot, { publish, scripts: await readSavedScripts(deps, tagId) })
  return { live: live.number, values: await diffValues(live.snapshot, next, openShown(deps, teamId)) }
}

export const readDraft: AnswerFor<'readDraft'> = async ({ params: { tagId }, access }, deps) =>
  showDraft(deps, await requireTag(deps, access, tagId))

/** The change that resets the saved settings of a tag to the live ones; none if they are equal. */
function toTagReset(deps: ControlDeps, tag: TagRecord, live: Snapshot, author: Author): SavedChange[] {
  if (differingValues(tagFields(live), tagFields(emptySnapshot(tag))).length === 0) return []
  const { tagId: _, teamId: __, number: ___, scripts: ____, name, ...settings } = live
  const row = { ...updatedTag(tag, name, {}, author), settings }
  return [{ ...toTagChange(tag, row, {}, deps), what: 'discardDraft' }]
}

const fieldsOf = (script: ScriptRecord) => scriptFields(toSnapshotScript(script))

/** A script reset to its live version. A script that is not live stays as it is. */
function toLiveScript(saved: ScriptRecord, live: SnapshotScript | undefined, { by, nowMs }: Author): SavedChange[] {
  if (!live) return []
  const { consentCategory: _, geoRegions: __, filter, rename, map, sample, ...rest } = saved
  const row = { ...rest, ...live, ...nextRevision(saved, by, nowMs) }
  return differingValues(fieldsOf(saved), fieldsOf(row)).length === 0 ? [] : [toScriptReset(saved, row)]
}

export const discardDraft: AnswerFor<'discardDraft'> = async ({ params: { tagId }, query, ...who }, deps) => {
  const { access } = who
  await requireTag(deps, access, tagId)
  return withChangeLock(tagId, async () => {
    const tag = await requireTag(deps, access, tagId)
    const { snapshot } = (await deps.store.deployment(tagId))!
    const { scriptId } = query
    const saved = await readSavedScripts(deps, tagId)
    const scripts = saved.filter((script) => scriptId === undefined || script.scriptId === scriptId)
    if (scriptId !== undefined && scripts.length === 0) throw fault('scriptOrTagNotFound')
    const author = { by: access.by, nowMs: deps.clock.now() }
    const liveOf = (script: ScriptRecord) => snapshot.scripts.find((each) => each.scriptId === script.scriptId)
    const changes = [
      ...(scriptId === undefined ? toTagReset(deps, tag, snapshot, author) : []),
      ...scripts.flatMap((script) => toLiveScript(script, liveOf(script), author)),
    ]
    if (changes.length > 0) await saveChanges(deps, who, changes, {})
    return showDraft(deps, await requireTag(deps, access, tagId))
  }).catch((error) => {
    throw isNameTaken(error) ? fault('nameTaken') : toTagFault(error)
  })
}
