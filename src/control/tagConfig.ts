import { badRequest, Fault, fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { Issue } from '#contract/schema.ts'
import type { Scope } from '#contract/scopes.ts'
import type { TagWrite } from '#contract/tag.ts'
import type { TagConfigCheck, TagConfigScript, TagConfigWrite } from '#contract/tagConfig.ts'
import { requireScopes } from '#http/authorizeCall.ts'
import { cancelWaitingDeliveries } from '#script/cancelWaitingDeliveries.ts'
import type { LiveChange } from '#script/deploy.ts'
import type { ScriptRecord, TagRecord, TagSettings } from '#store/store.ts'
import { emptySnapshot, newTagRecord, newTagRows, readTagSettings, tagAuditState, toTagFault } from '#tag/tag.ts'
import { withChangeLock } from './changeLock.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { readAllPages } from './pagination.ts'
import { type ApiCaller, hookObjections, type SavedChange, saveChanges } from './saveChange.ts'
import { isNameTaken } from './scripts.ts'
import {
  checkNewScript,
  checkScriptUpdate,
  newScriptRecord,
  type OpenedSecrets,
  requireProvider,
  toScriptChange,
  toScriptRemoval,
} from './scriptWrite.ts'
import {
  refuseAboveLimit,
  refuseTakenName,
  refuseUnknownVersions,
  requireTag,
  toTagChange,
  updatedTag,
} from './tags.ts'

/** The scopes that these changes need besides those of the operation. */
const neededScopes = ({ scripts = [], removedScriptIds = [] }: TagConfigWrite): Scope[] => [
  'tag:write',
  'script:write',
  ...(scripts.some(({ secrets }) => secrets?.length) ? (['secret:write'] as const) : []),
  ...(removedScriptIds.length > 0 ? (['script:delete'] as const) : []),
]

/** Adds the script's name to a fault. */
const withScript = ({ fault: name, message, headers, attributes }: Fault, script: string): Fault =>
  fault(name, { message, headers, attributes: { ...attributes, script } })

/** Collects the issues of several parts, each under the path of its part. Rethrows every other fault. */
function issueCollector() {
  const issues: Issue[] = []
  return {
    async check<Checked>(path: string, script: string | undefined, run: () => Checked | Promise<Checked>) {
      try {
        return await run()
      } catch (problem) {
        if (!(problem instanceof Fault)) throw problem
        const found = problem.attributes?.issues as readonly Issue[] | undefined
        if (problem.fault !== 'badRequest' || !found) throw script === undefined ? problem : withScript(problem, script)
        issues.push(...found.map((issue) => ({ ...issue, path: [path, issue.path].filter(Boolean).join('.') })))
        return undefined
      }
    },
    /** Throws badRequest with every issue. */
    refuse() {
      if (issues.length > 0) throw badRequest(...issues)
    },
  }
}

type CheckedParts = { settings: Partial<TagSettings>; secrets: (OpenedSecrets | undefined)[] }

function checkTagSettings({ tagId, tag = {} }: TagConfigWrite, deps: ControlDeps): Partial<TagSettings> {
  const missing = (['name', 'domain'] as const).filter((field) => tagId === undefined && tag[field] == null)
  if (missing.length > 0) throw badRequest(...missing.map((path) => ({ path, message: 'is required' })))
  refuseUnknownVersions(tag)
  return readTagSettings(tag, deps)
}

/** The script of this tag. Throws scriptOrTagNotFound. */
function findScript(saved: readonly ScriptRecord[], scriptId: string): ScriptRecord {
  const script = saved.find((each) => each.scriptId === scriptId)
  if (!script) throw fault('scriptOrTagNotFound')
  return script
}

const readSavedScripts = async (deps: ControlDeps, tagId: string | undefined): Promise<ScriptRecord[]> =>
  tagId === undefined ? [] : readAllPages((page) => deps.store.scripts(tagId, page))

/** Checks settings and scripts individually, in sequence: each may run the parser of customers' code. */
async function checkParts(deps: ControlDeps, { access }: ApiCaller, write: TagConfigWrite): Promise<CheckedParts> {
  if (write.tagId !== undefined) await requireTag(deps, access, write.tagId)
  const { scriptsPerTag } = deps.limits
  // Before the scripts are checked: each check may look up a name and parse code.
  if ((write.scripts ?? []).length > scriptsPerTag) throw limitReached('tooManyScripts', scriptsPerTag)
  const saved = await readSavedScripts(deps, write.tagId)
  const { check, refuse } = issueCollector()
  const settings = (await check('tag', undefined, () => checkTagSettings(write, deps))) ?? {}
  const secrets: CheckedParts['secrets'] = []
  for (const [at, script] of (write.scripts ?? []).entries()) {
    const { scriptId, name } = script
    secrets[at] = await check(`scripts.${at}`, name, () =>
      scriptId === undefined
        ? checkNewScript(deps, access, script)
        : checkScriptUpdate(deps, access, script, findScript(saved, scriptId)),
    )
  }
  refuse()
  return { settings, secrets }
}

/** Throws tooManyScripts, providerIsSingleton and nameTaken for the scripts that the tag would have. */
function refuseTogether(
  { limits }: ControlDeps,
  saved: readonly ScriptRecord[],
  { scripts = [], removedScriptIds = [] }: TagConfigWrite,
): void {
  const kept = saved.filter(({ scriptId }) => !removedScriptIds.includes(scriptId))
  const created = scripts.filter(({ scriptId }) => scriptId === undefined)
  if (kept.length + created.length > limits.scriptsPerTag && created.length > 0)
    throw limitReached('tooManyScripts', limits.scriptsPerTag)
  for (const [at, script] of scripts.entries()) {
    const { scriptId, name, providerId } = script
    const isOther = (each: { scriptId?: string }) => scriptId === undefined || each.scriptId !== scriptId
    const others = [...kept.filter(isOther), ...scripts.slice(0, at).filter(isOther)]
    const refuse = (what: 'nameTaken' | 'providerIsSingleton') => fault(what, { attributes: { script: name } })
    if (others.some((each) => each.name === name)) throw refuse('nameTaken')
    const isSecond = scriptId === undefined && others.some((each) => each.providerId === providerId)
    if (isSecond && requireProvider(providerId).isSingleton) throw refuse('providerIsSingleton')
    if (scriptId !== undefined && scripts.slice(0, at).some((each) => each.scriptId === scriptId))
      throw badRequest({ path: `scripts.${at}.scriptId`, message: 'is listed twice' })
    if (scriptId !== undefined && removedScriptIds.includes(scriptId))
      throw badRequest({ path: `scripts.${at}.scriptId`, message: 'is also in removedScriptIds' })
  }
}

/** The changes of one write, their tag, and what goes live. */
type BuiltChanges = {
  tag: TagRecord
  before: TagRecord | undefined
  scripts: ScriptRecord[]
  removed: ScriptRecord[]
  changes: SavedChange[]
  live: LiveChange[]
}
type BuiltTag = Pick<BuiltChanges, 'tag' | 'before' | 'changes' | 'live'>

async function buildNewTag(
  deps: ControlDeps,
  { access: { teamId, by } }: ApiCaller,
  { tag: write, newTags }: TagConfigCheck,
): Promise<BuiltTag> {
  await refuseAboveLimit(deps, teamId, newTags)
  const tag = newTagRecord(deps, teamId, by, write as TagWrite)
  await refuseTakenName(deps, tag)
  const change = { what: 'createTag', object: tag.tagId, after: tagAuditState(tag), rows: newTagRows(tag) } as const
  return { tag, before: undefined, changes: [change], live: [] }
}

async function buildUpdatedTag(
  deps: ControlDeps,
  { access }: ApiCaller,
  { tagId, tag: write }: TagConfigWrite & { tagId: string },
  settings: Partial<TagSettings>,
): Promise<BuiltTag> {
  const before = await requireTag(deps, access, tagId)
  if (!write) return { tag: before, before, changes: [], live: [] }
  const tag = updatedTag(before, write.name, settings, { by: access.by, nowMs: deps.clock.now() })
  if (tag.name !== before.name) await refuseTakenName(deps, tag)
  const changes = [toTagChange(before, tag, settings, deps)]
  return { tag, before, changes, live: [{ set: { ...settings, ...(write.name != null && { name: tag.name }) } }] }
}

/** Every change of the write, based on the saved state. Throws the same faults for a check and for a write. */
async function buildChanges(
  deps: ControlDeps,
  who: ApiCaller,
  write: TagConfigCheck,
  { settings, secrets }: CheckedParts,
): Promise<BuiltChanges> {
  const { tagId, scripts = [], removedScriptIds = [] } = write
  const built =
    tagId === undefined
      ? await buildNewTag(deps, who, write)
      : await buildUpdatedTag(deps, who, { ...write, tagId }, settings)
  const saved = await readSavedScripts(deps, tagId)
  const removed = [...new Set(removedScriptIds)].map((scriptId) => findScript(saved, scriptId))
  refuseTogether(deps, saved, write)
  const { check, refuse } = issueCollector()
  const siblings = [...saved]
  const newScript = (script: TagConfigScript) => {
    const record = newScriptRecord(built.tag, script, { siblings, nowMs: deps.clock.now() })
    siblings.push(record)
    return record
  }
  const toChange = (script: TagConfigScript, at: number) => {
    const { scriptId } = script
    const existing = scriptId === undefined ? newScript(script) : findScript(saved, scriptId)
    const what = scriptId === undefined ? ('createScript' as const) : ('updateScript' as const)
    return toScriptChange(deps, who, existing, { what, body: script, opened: secrets[at]!.opened })
  }
  const checked = await Promise.all(
    scripts.map((script, at) => check(`scripts.${at}`, script.name, () => toChange(script, at))),
  )
  refuse()
  const written = checked.filter((each) => each !== undefined)
  const isLive = write.shouldDeploy !== false
  return {
    ...built,
    scripts: written.map(({ row }) => row),
    removed,
    // Removals first: a new script may take the name of a removed one.
    changes: [...built.changes, ...removed.map(toScriptRemoval), ...written.map(({ row: _, ...change }) => change)],
    live: [
      ...built.live,
      ...removed.map(({ scriptId }) => ({ drop: scriptId })),
      ...(isLive ? written.map(({ row }) => ({ put: row })) : []),
    ],
  }
}

const warningsOf = ({ secrets }: CheckedParts, { scripts = [] }: TagConfigWrite): string[] =>
  secrets.flatMap((each, at) => (each?.warnings ?? []).map((warning) => `${scripts[at]!.name}: ${warning}`))

/** Saves and deploys the changes. A change that only removes scripts goes live regardless of the hooks' answers. */
function saveBuilt(deps: ControlDeps, who: ApiCaller, { tag, before, changes, live }: BuiltChanges) {
  const ignoresHooks = before !== undefined && live.every((change) => 'drop' in change)
  const isDeployed = before === undefined || live.length > 0
  return saveChanges(deps, who, changes, {
    tagId: tag.tagId,
    ...(isDeployed && {
      live: { change: { all: live }, ignoresHooks, ...(!before && { newTag: emptySnapshot(tag) }) },
    }),
  })
}

export const applyTagConfig: AnswerFor<'applyTagConfig'> = async ({ body, ...who }, deps) => {
  requireScopes(neededScopes(body), who.access)
  const parts = await checkParts(deps, who, body)
  const saved = withChangeLock(body.tagId ?? `${who.access.teamId} tags`, async () => {
    const built = await buildChanges(deps, who, { ...body, newTags: 0 }, parts)
    return { ...built, deployed: await saveBuilt(deps, who, built) }
  })
  const { tag, before, scripts, removed, deployed } = await saved.catch((error) => {
    throw isNameTaken(error) ? fault('nameTaken') : toTagFault(error)
  })
  if (before) await deps.hostProofs.settle(before.settings.hosts)
  await cancelWaitingDeliveries(
    removed.map(({ scriptId }) => scriptId),
    deps.store.journal,
  )
  return {
    tagId: tag.tagId,
    scripts: scripts.map(({ scriptId, name }) => ({ scriptId, name })),
    warnings: warningsOf(parts, body),
    errors: hookObjections(deployed),
  }
}

export const checkTagConfig: AnswerFor<'checkTagConfig'> = async ({ body, ...who }, deps) => {
  const parts = await checkParts(deps, who, body)
  await buildChanges(deps, who, body, parts)
  const missingScopes = neededScopes(body).filter((scope) => !who.access.scopes.has(scope))
  return { warnings: warningsOf(parts, body), missingScopes }
}
