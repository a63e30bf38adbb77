import { isDeepStrictEqual } from 'node:util'
import type { TeamAccess } from '#account/teamAccess.ts'
import { badRequest, type FaultName, fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import { channelRulesOf } from '#contract/rule/channelRules.ts'
import type { Script, ScriptWrite, WrittenScript } from '#contract/script.ts'
import { requireScopes } from '#http/authorizeCall.ts'
import { providers } from '#providers/index.ts'
import { cancelWaitingDeliveries } from '#script/cancelWaitingDeliveries.ts'
import { withFields } from '#script/deploy.ts'
import type { ScriptFields } from '#script/scriptIssues.ts'
import { notLiveValues, showScript, webhookUrlOf } from '#script/showScript.ts'
import { Conflict, type ScriptRecord, type TagRecord } from '#store/store.ts'
import { refuseStale } from '#tag/revision.ts'
import { affectedEvents } from './affectedEvents.ts'
import { withChangeLock } from './changeLock.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { readAllPages, toPageRequest } from './pagination.ts'
import { readPauses } from './readPauses.ts'
import { type ApiCaller, hookObjections, saveChange } from './saveChange.ts'
import {
  checkNewScript,
  checkScriptUpdate,
  everySetting,
  namedFields,
  newScriptRecord,
  openCallWarnings,
  patchedFields,
  refuseNoSignIn,
  requireProvider,
  toScriptChange,
  toScriptRemoval,
  type WrittenSettings,
} from './scriptWrite.ts'
import { findOwnTag, requireTag } from './tags.ts'

/** The script, if it belongs to the calling team. */
export async function findOwnScript(
  deps: ControlDeps,
  { teamId }: TeamAccess,
  scriptId: string,
): Promise<ScriptRecord | undefined> {
  const script = await deps.store.script(scriptId)
  return script?.teamId === teamId ? script : undefined
}

/** The script, if it belongs to the calling team. Throws `absent` otherwise. */
export async function requireOwnScript(
  deps: ControlDeps,
  access: TeamAccess,
  scriptId: string,
  absent: FaultName = 'scriptOrTagNotFound',
): Promise<ScriptRecord> {
  const script = await findOwnScript(deps, access, scriptId)
  if (!script) throw fault(absent)
  return script
}

export const readScript: AnswerFor<'readScript'> = async ({ params, access }, deps) => {
  const script = await requireOwnScript(deps, access, params.scriptId)
  const stopped = await findStopped(deps, [script.scriptId])
  return { ...(await showScript(script, providers[script.providerId], deps)), ...stopped(script.scriptId) }
}

/** For a script that was stopped because of its vendor: the reason, since when, and the next try. */
async function findStopped(
  deps: ControlDeps,
  scriptIds: readonly string[],
): Promise<(scriptId: string) => Pick<Script, 'stopped'>> {
  const pauses = await readPauses(deps, scriptIds)
  return (scriptId) => {
    const pause = pauses.get(scriptId)
    return pause ? { stopped: { reason: pause.reason, since: pause.since, nextAt: pause.until } } : {}
  }
}

export const listScripts: AnswerFor<'listScripts'> = async ({ query, access }, deps) => {
  const { tagId } = await requireTag(deps, access, query.tagId)
  const { rows, next } = await deps.store.scripts(tagId, toPageRequest(query))
  const stopped = await findStopped(
    deps,
    rows.map(({ scriptId }) => scriptId),
  )
  const show = async (script: ScriptRecord) => ({
    ...(await showScript(script, providers[script.providerId], deps)),
    ...stopped(script.scriptId),
  })
  const scripts = await Promise.all(rows.map(show))
  return { scripts, ...(next !== undefined && { next }) }
}

/** The tag of a write. Requires `secret:write` if the write contains secrets. Throws `absent` without such a tag. */
async function requireTagToWrite(
  deps: ControlDeps,
  { access }: ApiCaller,
  write: Pick<ScriptWrite, 'tagId' | 'secrets'>,
  absent: FaultName,
): Promise<TagRecord> {
  if (write.secrets?.length) requireScopes(['secret:write'], access)
  const tag = await findOwnTag(deps, access, write.tagId)
  if (!tag) throw fault(absent)
  return tag
}

type SavedScript = WrittenSettings & {
  warnings: string[]
  shouldDeploy?: boolean | null | undefined
  /** The fields to publish; a script that is not live is published as a whole, and by a patch not at all. */
  fields?: ReadonlySet<string>
}

/** The effect of a write that changes rules on the last events of the tag. */
async function affectedByRules(deps: ControlDeps, { access }: ApiCaller, existing: ScriptRecord, row: ScriptRecord) {
  if (isDeepStrictEqual(channelRulesOf(existing), channelRulesOf(row))) return undefined
  const tag = await deps.store.tag(row.tagId)
  const before = existing.version > 0 ? existing : undefined
  return tag && affectedEvents(deps, access, tag, { before, after: row })
}

/** Saves a script with its settings and secrets, and deploys it unless `shouldDeploy` is false. */
async function saveScript(
  deps: ControlDeps,
  who: ApiCaller,
  existing: ScriptRecord,
  { shouldDeploy, fields, warnings, ...written }: SavedScript,
): Promise<WrittenScript> {
  const { row, ...change } = await toScriptChange(deps, who, existing, written)
  const { scriptId, tagId, providerId } = row
  const live = (await deps.store.deployment(tagId))?.snapshot.scripts.find((each) => each.scriptId === scriptId)
  const isDeployed = shouldDeploy !== false && (live !== undefined || written.what !== 'patchScript')
  if (isDeployed && live && fields) refuseNoSignIn(withFields(live, row, fields).secrets, requireProvider(providerId))
  await saveChange(deps, who, {
    ...change,
    tagId,
    ...(isDeployed && { live: { change: { put: row, ...(fields && { fields }) } } }),
  })
  const provider = requireProvider(providerId)
  const differing = await notLiveValues(row, provider, deps)
  // Only callers that may read scripts get the values.
  const notLive = who.access.scopes.has('script:read') ? differing : differing.map(({ name }) => ({ name }))
  const all = [...warnings, ...openCallWarnings(row, provider)]
  const affected = await affectedByRules(deps, who, existing, row)
  return {
    scriptId,
    ...(all.length > 0 && { warnings: all }),
    ...webhookUrlOf(row, provider, deps),
    ...(affected && { affected }),
    ...(notLive.length > 0 && { notLive }),
  }
}

/** Whether another script of the tag has taken the name meanwhile. */
export const isNameTaken = (error: unknown) => error instanceof Conflict && error.unique === 'script.name'

/** Checks the name before hooks are called. The store's unique index catches a name taken meanwhile. */
function refuseTakenName(siblings: readonly ScriptRecord[], { scriptId }: ScriptRecord, name: string): void {
  if (siblings.some((each) => each.name === name && each.scriptId !== scriptId)) throw new Conflict('script.name')
}

export const createScript: AnswerFor<'createScript'> = async ({ body, ...who }, deps) => {
  const { tagId, teamId } = await requireTagToWrite(deps, who, body, 'tagNotFound')
  const checked = await checkNewScript(deps, who.access, body)
  return withChangeLock(tagId, async () => {
    if (!(await deps.store.tag(tagId))) throw fault('tagNotFound')
    const { scriptsPerTag } = deps.limits
    const siblings = await readAllPages((page) => deps.store.scripts(tagId, page))
    if (siblings.length >= scriptsPerTag) throw limitReached('tooManyScripts', scriptsPerTag)
    const { isSingleton } = requireProvider(body.providerId)
    if (isSingleton && siblings.some(({ providerId }) => providerId === body.providerId))
      throw fault('providerIsSingleton')
    const script = newScriptRecord({ tagId, teamId }, body, { siblings, nowMs: deps.clock.now() })
    refuseTakenName(siblings, script, body.name)
    return saveScript(deps, who, script, { what: 'createScript', body, ...checked, shouldDeploy: body.shouldDeploy })
  }).catch((error) => {
    throw isNameTaken(error) ? fault('nameTaken') : error
  })
}

/** The script of a write, if it belongs to the tag in the body. Throws scriptOrTagNotFound. */
async function requireScriptToWrite(deps: ControlDeps, { access }: ApiCaller, scriptId: string, tagId: string) {
  const script = await requireOwnScript(deps, access, scriptId)
  if (script.tagId !== tagId) throw fault('scriptOrTagNotFound')
  return script
}

type ScriptUpdate = {
  what: 'updateScript' | 'patchScript'
  /** The full write, based on the saved script. */
  fieldsOf(script: ScriptRecord): ScriptFields
  fields: ReadonlySet<string>
  shouldDeploy: boolean | null | undefined
  ifMatch: number | undefined
}

async function changeScript(
  deps: ControlDeps,
  who: ApiCaller,
  script: ScriptRecord,
  { what, fieldsOf, fields, shouldDeploy, ifMatch }: ScriptUpdate,
): Promise<WrittenScript> {
  const { scriptId, tagId } = script
  const checked = await checkScriptUpdate(deps, who.access, fieldsOf(script), script)
  return withChangeLock(tagId, async () => {
    const existing = await requireScriptToWrite(deps, who, scriptId, tagId)
    refuseStale(existing, ifMatch)
    const body = fieldsOf(existing)
    if (body.name !== existing.name)
      refuseTakenName(await readAllPages((page) => deps.store.scripts(existing.tagId, page)), existing, body.name)
    return saveScript(deps, who, existing, { what, body, ...checked, fields, shouldDeploy })
  }).catch((error) => {
    throw isNameTaken(error) ? badRequest({ path: 'name', message: 'is already in use on this tag' }) : error
  })
}

export const updateScript: AnswerFor<'updateScript'> = async ({ params, body, ifMatch, ...who }, deps) => {
  const { tagId } = await requireTagToWrite(deps, who, body, 'scriptOrTagNotFound')
  const script = await requireScriptToWrite(deps, who, params.scriptId, tagId)
  const { shouldDeploy } = body
  const fields = namedFields({ ...everySetting, ...body }, body.secrets)
  return changeScript(deps, who, script, { what: 'updateScript', fieldsOf: () => body, fields, shouldDeploy, ifMatch })
}

export const patchScript: AnswerFor<'patchScript'> = async ({ params, body, ifMatch, ...who }, deps) => {
  if (body.secrets?.length) requireScopes(['secret:write'], who.access)
  const script = await requireOwnScript(deps, who.access, params.scriptId)
  const { shouldDeploy } = body
  return changeScript(deps, who, script, {
    what: 'patchScript',
    fieldsOf: (saved) => patchedFields(saved, body),
    fields: namedFields(body, body.secrets),
    shouldDeploy,
    ifMatch,
  })
}

export const deleteScript: AnswerFor<'deleteScript'> = async ({ params, ifMatch, ...who }, deps) => {
  const { scriptId, tagId } = await requireOwnScript(deps, who.access, params.scriptId, 'scriptNotFound')
  const errors = await withChangeLock(tagId, async () => {
    const script = await requireOwnScript(deps, who.access, scriptId, 'scriptNotFound')
    refuseStale(script, ifMatch)
    const deployed = await saveChange(deps, who, {
      ...toScriptRemoval(script),
      tagId,
      live: { change: { drop: scriptId }, ignoresHooks: true },
    })
    return hookObjections(deployed)
  })
  await cancelWaitingDeliveries([scriptId], deps.store.journal)
  return { errors }
}
