import type { TeamAccess } from '#account/teamAccess.ts'
import { badRequest, type FaultName, fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { operations } from '#contract/operations.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { ConsentCategory, Script, ScriptWrite, WrittenScript } from '#contract/script.ts'
import { requireScopes } from '#http/authorizeCall.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import { newId } from '#kit/id.ts'
import type { Secret } from '#kit/secret.ts'
import type { Provider } from '#provider/form/provider.ts'
import { providers } from '#providers/index.ts'
import { findCodeIssue } from '#sandbox/parseCode.ts'
import { cancelWaitingDeliveries } from '#script/cancelWaitingDeliveries.ts'
import { checkAddresses } from '#script/checkAddresses.ts'
import { missingIssues, plaintextIssues, scriptIssues, signInIssues } from '#script/scriptIssues.ts'
import { openEntries } from '#script/secret.ts'
import { showScript } from '#script/showScript.ts'
import { upsertSecrets } from '#script/upsertSecrets.ts'
import { type AuditState, Conflict, type ScriptRecord, type TagRecord } from '#store/store.ts'
import { nextRevision, refuseStale } from '#tag/revision.ts'
import type { ControlDeps } from './controlDeps.ts'
import { isBelow, readAllPages, toPageRequest } from './pagination.ts'
import { refuseUnaccepted } from './policies.ts'
import { type ApiCaller, hookObjections, saveChange } from './saveChange.ts'
import { withTagLock } from './tagMutex.ts'
import { findOwnTag, requireTag } from './tags.ts'

type AnswerFor<Id extends keyof typeof operations> = OperationAnswer<(typeof operations)[Id], ControlDeps>

/** The script, if it belongs to the calling team. */
export async function findOwnScript(
  deps: ControlDeps,
  { teamId }: TeamAccess,
  scriptId: string,
): Promise<ScriptRecord | undefined> {
  const script = await deps.store.script(scriptId)
  return script?.teamId === teamId ? script : undefined
}

export const readScript: AnswerFor<'readScript'> = async ({ params, access }, deps) => {
  const script = await findOwnScript(deps, access, params.scriptId)
  if (!script) throw fault('scriptOrTagNotFound')
  const stopped = await findStopped(deps)
  return { ...(await showScript(script, providers[script.providerId], deps)), ...stopped(script.scriptId) }
}

/** For a script whose channel is stopped because of its vendor: the reason, since when, and the next try. */
async function findStopped({ store }: ControlDeps): Promise<(scriptId: string) => Pick<Script, 'stopped'>> {
  const pauses = new Map((await store.journal.pauses()).map((pause) => [pause.scriptId, pause]))
  return (scriptId) => {
    const pause = pauses.get(scriptId)
    return pause ? { stopped: { reason: pause.reason, since: pause.since, nextAt: pause.until } } : {}
  }
}

export const listScripts: AnswerFor<'listScripts'> = async ({ query, access }, deps) => {
  const { tagId } = await requireTag(deps, access, query.tagId)
  const { rows, next } = await deps.store.scripts(tagId, toPageRequest(query))
  const stopped = await findStopped(deps)
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
  write: ScriptWrite,
  absent: FaultName,
): Promise<TagRecord> {
  if (write.secrets?.length) requireScopes(['secret:write'], access)
  const tag = await findOwnTag(deps, access, write.tagId)
  if (!tag) throw fault(absent)
  return tag
}

function requireProvider(id: ProviderId): Provider {
  const provider = providers[id]
  if (!provider) throw fault('providerNotAvailable')
  return provider
}

type OpenedSecrets = { opened: Map<string, Secret>; warnings: string[] }

/** Opens and checks the secrets of a write whose other fields are valid. Throws badRequest, overloaded. */
async function openSecretEntries(
  deps: ControlDeps,
  { teamId }: TeamAccess,
  { secrets, providerId }: ScriptWrite,
  provider: Provider,
): Promise<OpenedSecrets> {
  const { environment, sealingKeys } = deps
  const expected = { environment, teamId, providerId, specs: provider.secrets }
  const opened = await openEntries(secrets ?? [], expected, sealingKeys)
  const issues = [...opened].flatMap(([variable, secret], at) =>
    plaintextIssues(variable, secret.open(), provider.secrets[variable]!, at),
  )
  const plaintexts = [...opened].map(([variable, secret]) => [variable, secret.open()] as const)
  const addresses = await checkAddresses(provider, plaintexts, deps)
  issues.push(...addresses.issues)
  if (issues.length > 0) throw badRequest(...issues)
  await refuseBadCode(deps, teamId, provider, opened)
  return { opened, warnings: addresses.warnings }
}

/** Throws badRequest if customer code does not parse, and overloaded if it cannot be parsed now. */
async function refuseBadCode(
  { parseCode }: ControlDeps,
  teamId: string,
  provider: Provider,
  opened: ReadonlyMap<string, Secret>,
): Promise<void> {
  const secrets = Object.fromEntries([...opened].map(([variable, secret]) => [variable, secret.open()]))
  const codeIssue = await findCodeIssue(parseCode, teamId, provider, secrets)
  if (codeIssue === 'overloaded') throw fault('overloaded', { headers: { 'retry-after': '1' } })
  if (codeIssue)
    throw badRequest({ path: `secrets.${[...opened.keys()].indexOf(codeIssue.variable)}`, message: codeIssue.says })
}

/** The settings of a write. A setting that it leaves out is unset. */
const scriptSettings = ({ name, consentCategory, geoRegions, purchaseValueMode }: ScriptWrite) => ({
  name,
  ...(consentCategory != null && { consentCategory: consentCategory as ConsentCategory }),
  ...(geoRegions?.trim() && { geoRegions: geoRegions.trim() }),
  ...(purchaseValueMode != null && { purchaseValueMode }),
})

/** The state of a script in the audit. It contains references to versions of secrets, not the secrets. */
const scriptAuditState = ({
  scriptId: _,
  tagId: __,
  teamId: ___,
  createdAt: ____,
  version: _____,
  updatedAt: ______,
  updatedBy: _______,
  ...state
}: ScriptRecord): AuditState => state

type ScriptUpdate = OpenedSecrets & { what: 'createScript' | 'updateScript'; body: ScriptWrite }

/** Saves a script with its settings and secrets, and deploys it unless `shouldDeploy` is false. */
async function saveScript(
  deps: ControlDeps,
  who: ApiCaller,
  existing: ScriptRecord,
  { what, body, opened, warnings }: ScriptUpdate,
): Promise<WrittenScript> {
  const { scriptId, tagId, teamId, providerId, createdAt, paused } = existing
  const { environment, keys } = deps
  const owner = { environment, teamId, scriptId, provider: requireProvider(providerId) }
  const { refs, versions } = upsertSecrets(existing.secrets, opened, owner, { keys, nowMs: deps.clock.now() })
  const issues = signInIssues(refs, owner.provider)
  if (issues.length > 0) throw badRequest(...issues)
  const revision = nextRevision(existing, who.access.by, deps.clock.now())
  const fixed = { scriptId, tagId, teamId, providerId, createdAt, ...revision, ...(paused && { paused }) }
  const row: ScriptRecord = { ...fixed, ...scriptSettings(body), secrets: refs }
  await saveChange(deps, who, {
    what,
    object: scriptId,
    ...(what === 'updateScript' && { before: scriptAuditState(existing) }),
    after: scriptAuditState(row),
    tagId,
    rows: [{ put: 'script', row }, ...versions.map((version) => ({ add: 'secret' as const, row: version }))],
    ...(body.shouldDeploy !== false && { live: { change: { put: row } } }),
  })
  return { scriptId, ...(warnings.length > 0 && { warnings }) }
}

const isNameTaken = (error: unknown) => error instanceof Conflict && error.unique === 'script.name'

/** Checks the name before hooks are called. The store's unique index catches a name that is taken meanwhile. */
async function refuseTakenName(deps: ControlDeps, { tagId, scriptId }: ScriptRecord, name: string): Promise<void> {
  const scripts = await readAllPages((page) => deps.store.scripts(tagId, page))
  if (scripts.some((each) => each.name === name && each.scriptId !== scriptId)) throw new Conflict('script.name')
}

async function refuseSecondOfSingleton(deps: ControlDeps, tagId: string, providerId: ProviderId): Promise<void> {
  const scripts = await readAllPages((page) => deps.store.scripts(tagId, page))
  if (scripts.some((script) => script.providerId === providerId)) throw fault('providerIsSingleton')
}

export const createScript: AnswerFor<'createScript'> = async ({ body, ...who }, deps) => {
  const { tagId, teamId } = await requireTagToWrite(deps, who, body, 'tagNotFound')
  const provider = requireProvider(body.providerId)
  await refuseUnaccepted(deps, who.access)
  const issues = [...scriptIssues(body, provider), ...missingIssues(body, provider)]
  if (issues.length > 0) throw badRequest(...issues)
  const secrets = await openSecretEntries(deps, who.access, body, provider)
  return withTagLock(tagId, async () => {
    if (!(await deps.store.tag(tagId))) throw fault('tagNotFound')
    const { scriptsPerTag } = deps.limits
    if (!(await isBelow(scriptsPerTag, (page) => deps.store.scripts(tagId, page))))
      throw limitReached('tooManyScripts', scriptsPerTag)
    if (provider.isSingleton) await refuseSecondOfSingleton(deps, tagId, body.providerId)
    const now = deps.clock.now()
    const { name, providerId } = body
    const scriptId = newId('scr', now)
    const script = { scriptId, tagId, teamId, name, providerId, secrets: {}, createdAt: now, version: 0 }
    await refuseTakenName(deps, script, name)
    return saveScript(deps, who, script, { what: 'createScript', body, ...secrets })
  }).catch((error) => {
    throw isNameTaken(error) ? fault('nameTaken') : error
  })
}

/** The script of a PUT, if it is on the tag that the body names. Throws scriptOrTagNotFound. */
async function requireScriptToWrite(
  deps: ControlDeps,
  { access }: ApiCaller,
  scriptId: string,
  tagId: string,
): Promise<ScriptRecord> {
  const script = await findOwnScript(deps, access, scriptId)
  if (script?.tagId !== tagId) throw fault('scriptOrTagNotFound')
  return script
}

export const updateScript: AnswerFor<'updateScript'> = async ({ params, body, ifMatch, ...who }, deps) => {
  const { tagId } = await requireTagToWrite(deps, who, body, 'scriptOrTagNotFound')
  const { providerId } = await requireScriptToWrite(deps, who, params.scriptId, tagId)
  const provider = requireProvider(body.providerId)
  if (body.providerId !== providerId) throw badRequest({ path: 'providerId', message: `stays ${providerId}` })
  const issues = scriptIssues(body, provider)
  if (issues.length > 0) throw badRequest(...issues)
  const secrets = await openSecretEntries(deps, who.access, body, provider)
  return withTagLock(tagId, async () => {
    const existing = await requireScriptToWrite(deps, who, params.scriptId, tagId)
    refuseStale(existing, ifMatch)
    if (body.name !== existing.name) await refuseTakenName(deps, existing, body.name)
    return saveScript(deps, who, existing, { what: 'updateScript', body, ...secrets })
  }).catch((error) => {
    throw isNameTaken(error) ? badRequest({ path: 'name', message: 'is already used on this tag' }) : error
  })
}

export const deleteScript: AnswerFor<'deleteScript'> = async ({ params, ifMatch, ...who }, deps) => {
  const found = await findOwnScript(deps, who.access, params.scriptId)
  if (!found) throw fault('scriptNotFound')
  const { scriptId, tagId } = found
  const errors = await withTagLock(tagId, async () => {
    const script = await findOwnScript(deps, who.access, scriptId)
    if (!script) throw fault('scriptNotFound')
    refuseStale(script, ifMatch)
    const deployed = await saveChange(deps, who, {
      what: 'deleteScript',
      object: scriptId,
      before: scriptAuditState(script),
      tagId,
      rows: [{ drop: 'script', scriptId }],
      live: { change: { drop: scriptId }, ignoresHooks: true },
    })
    return hookObjections(deployed)
  })
  await cancelWaitingDeliveries([scriptId], deps.store.journal)
  return { errors }
}
