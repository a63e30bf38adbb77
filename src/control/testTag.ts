import { randomBytes } from 'node:crypto'
import type { TeamAccess } from '#account/teamAccess.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { rulesAfter } from '#contract/rule/channelRules.ts'
import { ruleIssues } from '#contract/rule/ruleIssues.ts'
import type { ConsentCategory } from '#contract/script.ts'
import type { TestDraft, TestWrite } from '#contract/testEvent.ts'
import { parseBody } from '#event/parseBody.ts'
import { requireScopes } from '#http/authorizeCall.ts'
import { newId } from '#kit/id.ts'
import { pluginIssues } from '#plugin/runPlugins.ts'
import { plugins } from '#plugins/index.ts'
import { regexIssue } from '#rule/regex.ts'
import { nextSnapshot } from '#script/deploy.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { ScriptRecord, TagRecord } from '#store/store.ts'
import { withChangeLock } from './changeLock.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { openDraftSecrets, openKeptSecrets } from './draftSecrets.ts'
import { mayReadUser } from './maskTexts.ts'
import { readAllPages } from './pagination.ts'
import { saveChange } from './saveChange.ts'
import { requireTag } from './tags.ts'
import { testJourney, testSteps } from './testJourney.ts'

type TestScripts = { tag: Snapshot; tested: readonly ScriptRecord[]; draftSecrets?: Record<string, string> }

/** The event; a missing id or time is filled in. Throws badRequest as POST /tag does. */
function readEvent({ event }: TestWrite, nowMs: number) {
  const complete = { eventId: `test-${randomBytes(8).toString('hex')}`, timestamp: nowMs, ...event }
  const [parsed] = parseBody(Buffer.from(JSON.stringify(complete)), nowMs).events
  return parsed!.event!
}

/**
 * The record of a draft. Its id is new, so that its code shares no state with the saved script. New entries beside
 * stored secrets need secret:write, as in a write: new code or another address could read stored secrets. Throws
 * scopeMissing.
 */
async function toDraftRecord(deps: ControlDeps, access: TeamAccess, tag: TagRecord, draft: TestDraft) {
  const { providerId, scriptId, name, consentCategory, geoRegions, purchaseValueMode } = draft
  if (scriptId != null && draft.secrets?.length) requireScopes(['secret:write'], access)
  const issues = ruleIssues(draft, regexIssue)
  if (issues.length > 0) throw badRequest(...issues.map((issue) => ({ ...issue, path: `draft.${issue.path}` })))
  const { script, secrets } = await openDraftSecrets(deps, access, { providerId, scriptId, entries: draft.secrets })
  if (script && script.tagId !== tag.tagId) throw fault('scriptOrTagNotFound')
  const createdAt = deps.clock.now()
  const { tagId, teamId } = tag
  const fixed = { scriptId: newId('scr', createdAt), tagId, teamId, providerId, createdAt, version: 1, secrets: {} }
  const record: ScriptRecord = {
    ...fixed,
    name: name ?? script?.name ?? '',
    ...(consentCategory != null && { consentCategory: consentCategory as ConsentCategory }),
    ...(geoRegions?.trim() && { geoRegions: geoRegions.trim() }),
    ...(purchaseValueMode != null && { purchaseValueMode }),
    ...rulesAfter(script ?? {}, draft),
  }
  return { record, replaces: script?.scriptId, secrets }
}

/** The tag with its own plugins or those of the test. Throws badRequest if one cannot be run. */
function withPlugins(tag: TagRecord, { plugins: chosen }: TestWrite): TagRecord {
  if (!chosen) return tag
  const issues = pluginIssues(chosen, plugins)
  if (issues.length > 0) throw badRequest(...issues)
  return { ...tag, settings: { ...tag.settings, plugins: chosen } }
}

/** The tag as if everything saved were live, and the scripts to test. Throws scriptOrTagNotFound. */
async function chooseScripts(
  deps: ControlDeps,
  access: TeamAccess,
  tag: TagRecord,
  { scriptIds, draft }: TestWrite,
): Promise<TestScripts> {
  const saved = await readAllPages((page) => deps.store.scripts(tag.tagId, page))
  const live = await deps.store.deployment(tag.tagId)
  if (!live) throw new Error(`The tag ${tag.tagId} has no deployment.`)
  const snapshotOf = (scripts: readonly ScriptRecord[]) => nextSnapshot(live.snapshot, { publish: tag, scripts })
  if (draft) {
    const { record, replaces, secrets } = await toDraftRecord(deps, access, tag, draft)
    const scripts = [...saved.filter(({ scriptId }) => scriptId !== replaces), record]
    return { tag: snapshotOf(scripts), tested: [record], draftSecrets: secrets }
  }
  const tested = scriptIds ? saved.filter(({ scriptId }) => scriptIds.includes(scriptId)) : saved
  if (scriptIds && tested.length < new Set(scriptIds).size) throw fault('scriptOrTagNotFound')
  return { tag: snapshotOf(saved), tested }
}

/**
 * A test only stores its audit row. A team runs one test at a time, because a test that is sent is not counted as an
 * event.
 */
export const testTag: AnswerFor<'testTag'> = async ({ params, body, ...who }, deps) => {
  // the requests show stored data of a visitor
  if (body.userId && !mayReadUser(who.access)) throw fault('scopeMissing', { attributes: { missing: ['user:read'] } })
  const tag = withPlugins(await requireTag(deps, who.access, params.tagId), body)
  const event = readEvent(body, deps.clock.now())
  const { eventName } = event
  const scripts = await chooseScripts(deps, who.access, tag, body)
  const plaintexts = new Map(scripts.tested.map((script) => [script.scriptId, script]))
  return withChangeLock(`${tag.teamId} test`, async () => {
    const result = await deps.runTest({
      tag: scripts.tag,
      scriptIds: new Set(plaintexts.keys()),
      event,
      userId: body.userId ?? undefined,
      plaintexts: async (_tag, { scriptId }) =>
        scripts.draftSecrets ?? (await openKeptSecrets(deps, plaintexts.get(scriptId)!)),
      send: body.send,
    })
    const after = { eventName, send: body.send, scriptIds: body.draft ? [] : [...plaintexts.keys()] }
    await saveChange(deps, who, { what: 'testTag', object: tag.tagId, after, rows: [] })
    const { shown, ruled } = await testSteps(deps, scripts.tag, event, body.userId)
    const steps = { shown: body.plugins ? shown : {}, ruled }
    return { ...testJourney(event, result, scripts.tag, steps), trusted: true, isTest: true }
  })
}
