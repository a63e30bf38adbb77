import type { Access } from '#account/access.ts'
import { badRequest, type FaultName, fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { operations } from '#contract/operations.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { ConsentCategory, ScriptWrite } from '#contract/script.ts'
import { refuseWithout } from '#http/admit.ts'
import type { Answer } from '#http/bind.ts'
import { newId } from '#kit/id.ts'
import type { Secret } from '#kit/secret.ts'
import type { Provider } from '#provider/form/provider.ts'
import { providers } from '#providers/index.ts'
import { wrongCode } from '#sandbox/parse.ts'
import { eraseWaiting } from '#script/erase.ts'
import { issuesOf, missingIssues, plaintextIssues, signInIssues } from '#script/script.ts'
import { openEntries } from '#script/secret.ts'
import { showScript } from '#script/show.ts'
import { upsertSecrets } from '#script/upsert.ts'
import { type AuditState, Conflict, type ScriptRecord, type TagRecord } from '#store/store.ts'
import { every, isBelow, pageOf } from './page.ts'
import { refuseUnaccepted } from './policies.ts'
import { objections, save, type Who } from './save.ts'
import { knownTag, ownTag } from './tags.ts'
import { inTurn } from './turn.ts'
import type { ControlWorld } from './world.ts'

type Of<Id extends keyof typeof operations> = Answer<(typeof operations)[Id], ControlWorld>

/** The script, if it is of the calling team. */
export async function ownScript(
  on: ControlWorld,
  { teamId }: Access,
  scriptId: string,
): Promise<ScriptRecord | undefined> {
  const script = await on.store.script(scriptId)
  return script?.teamId === teamId ? script : undefined
}

export const readScript: Of<'readScript'> = async ({ params, access }, on) => {
  const script = await ownScript(on, access, params.scriptId)
  if (!script) throw fault('scriptOrTagNotFound')
  return showScript(script, providers[script.providerId], on)
}

export const listScripts: Of<'listScripts'> = async ({ query, access }, on) => {
  const { tagId } = await knownTag(on, access, query.tagId)
  const { rows, next } = await on.store.scripts(tagId, pageOf(query))
  const scripts = await Promise.all(rows.map((script) => showScript(script, providers[script.providerId], on)))
  return { scripts, ...(next !== undefined && { next }) }
}

/** The tag that a write names, for those who may send secrets where they do. */
async function tagToWrite(
  on: ControlWorld,
  { access }: Who,
  write: ScriptWrite,
  absent: FaultName,
): Promise<TagRecord> {
  if (write.secrets?.length) refuseWithout(['secret:write'], access)
  const tag = await ownTag(on, access, write.tagId)
  if (!tag) throw fault(absent)
  return tag
}

function availableProvider(id: ProviderId): Provider {
  const provider = providers[id]
  if (!provider) throw fault('providerNotAvailable')
  return provider
}

/** The secrets that came, once everything that is said about the script has been found good. */
async function openChecked(
  on: ControlWorld,
  { teamId }: Access,
  { secrets, providerId }: ScriptWrite,
  provider: Provider,
): Promise<Map<string, Secret>> {
  const { environment, sealingKeys } = on
  const expected = { environment, teamId, providerId, specs: provider.secrets }
  const opened = await openEntries(secrets ?? [], expected, sealingKeys)
  const issues = [...opened].flatMap(([variable, secret], at) =>
    plaintextIssues(secret.open(), provider.secrets[variable]!, at),
  )
  if (issues.length > 0) throw badRequest(...issues)
  await refuseBadCode(on, teamId, provider, opened)
  return opened
}

/** Throws badRequest for code that does not parse, and overloaded. */
async function refuseBadCode(
  { parseCode }: ControlWorld,
  teamId: string,
  provider: Provider,
  opened: ReadonlyMap<string, Secret>,
): Promise<void> {
  const given = Object.fromEntries([...opened].map(([variable, secret]) => [variable, secret.open()]))
  const wrong = await wrongCode(parseCode, teamId, provider, given)
  if (wrong === 'overloaded') throw fault('overloaded', { headers: { 'retry-after': '1' } })
  if (wrong) throw badRequest({ path: `secrets.${[...opened.keys()].indexOf(wrong.variable)}`, message: wrong.says })
}

/** What a write says of a script; what it leaves out is unset. */
const settingsOf = ({ name, consentCategory, geoRegions, purchaseValueMode }: ScriptWrite) => ({
  name,
  ...(consentCategory != null && { consentCategory: consentCategory as ConsentCategory }),
  ...(geoRegions?.trim() && { geoRegions: geoRegions.trim() }),
  ...(purchaseValueMode != null && { purchaseValueMode }),
})

/** A script as the audit tells it: of its secrets, which versions there are. */
const stateOf = ({ scriptId: _, tagId: __, teamId: ___, createdAt: ____, ...state }: ScriptRecord): AuditState => state

type Putting = { what: 'createScript' | 'updateScript'; body: ScriptWrite; opened: Map<string, Secret> }

/** Puts a script with its settings and secrets; a draft unless `shouldDeploy` says otherwise. */
async function put(on: ControlWorld, who: Who, kept: ScriptRecord, { what, body, opened }: Putting) {
  const { scriptId, tagId, teamId, providerId, createdAt, paused } = kept
  const { environment, keys } = on
  const of = { environment, teamId, scriptId, provider: availableProvider(providerId) }
  const { refs, versions } = upsertSecrets(kept.secrets, opened, of, { keys, nowMs: on.clock.now() })
  const unsigned = signInIssues(refs, of.provider)
  if (unsigned.length > 0) throw badRequest(...unsigned)
  const stays = { scriptId, tagId, teamId, providerId, createdAt, ...(paused && { paused }) }
  const row: ScriptRecord = { ...stays, ...settingsOf(body), secrets: refs }
  await save(on, who, {
    what,
    object: scriptId,
    ...(what === 'updateScript' && { before: stateOf(kept) }),
    after: stateOf(row),
    tagId,
    rows: [{ put: 'script', row }, ...versions.map((version) => ({ add: 'secret' as const, row: version }))],
    ...(body.shouldDeploy !== false && { live: { change: { put: row } } }),
  })
  return { scriptId }
}

const isNameTaken = (error: unknown) => error instanceof Conflict && error.unique === 'script.name'

/** Looked at before hooks are asked; what comes in between is noticed when it is written. */
async function refuseTakenName(on: ControlWorld, { tagId, scriptId }: ScriptRecord, name: string): Promise<void> {
  const scripts = await every((page) => on.store.scripts(tagId, page))
  if (scripts.some((each) => each.name === name && each.scriptId !== scriptId)) throw new Conflict('script.name')
}

async function refuseSecondOfSingleton(on: ControlWorld, tagId: string, providerId: ProviderId): Promise<void> {
  const scripts = await every((page) => on.store.scripts(tagId, page))
  if (scripts.some((script) => script.providerId === providerId)) throw fault('providerIsSingleton')
}

export const createScript: Of<'createScript'> = async ({ body, ...who }, on) => {
  const { tagId, teamId } = await tagToWrite(on, who, body, 'tagNotFound')
  const provider = availableProvider(body.providerId)
  await refuseUnaccepted(on, who.access)
  const issues = [...issuesOf(body, provider), ...missingIssues(body, provider)]
  if (issues.length > 0) throw badRequest(...issues)
  const opened = await openChecked(on, who.access, body, provider)
  return inTurn(tagId, async () => {
    if (!(await on.store.tag(tagId))) throw fault('tagNotFound')
    const { scriptsPerTag } = on.limits
    if (!(await isBelow(scriptsPerTag, (page) => on.store.scripts(tagId, page))))
      throw limitReached('tooManyScripts', scriptsPerTag)
    if (provider.isSingleton) await refuseSecondOfSingleton(on, tagId, body.providerId)
    const now = on.clock.now()
    const { name, providerId } = body
    const script = { scriptId: newId('scr', now), tagId, teamId, name, providerId, secrets: {}, createdAt: now }
    await refuseTakenName(on, script, name)
    return put(on, who, script, { what: 'createScript', body, opened })
  }).catch((error) => {
    throw isNameTaken(error) ? fault('nameTaken') : error
  })
}

/** The script that a PUT names, if its tag is the one that the body names. */
async function scriptToWrite(
  on: ControlWorld,
  { access }: Who,
  scriptId: string,
  tagId: string,
): Promise<ScriptRecord> {
  const script = await ownScript(on, access, scriptId)
  if (script?.tagId !== tagId) throw fault('scriptOrTagNotFound')
  return script
}

export const updateScript: Of<'updateScript'> = async ({ params, body, ...who }, on) => {
  const { tagId } = await tagToWrite(on, who, body, 'scriptOrTagNotFound')
  const { providerId } = await scriptToWrite(on, who, params.scriptId, tagId)
  const provider = availableProvider(body.providerId)
  if (body.providerId !== providerId) throw badRequest({ path: 'providerId', message: `stays ${providerId}` })
  const issues = issuesOf(body, provider)
  if (issues.length > 0) throw badRequest(...issues)
  const opened = await openChecked(on, who.access, body, provider)
  return inTurn(tagId, async () => {
    const kept = await scriptToWrite(on, who, params.scriptId, tagId)
    if (body.name !== kept.name) await refuseTakenName(on, kept, body.name)
    return put(on, who, kept, { what: 'updateScript', body, opened })
  }).catch((error) => {
    throw isNameTaken(error) ? badRequest({ path: 'name', message: 'is already used on this tag' }) : error
  })
}

export const deleteScript: Of<'deleteScript'> = async ({ params, ...who }, on) => {
  const named = await ownScript(on, who.access, params.scriptId)
  if (!named) throw fault('scriptNotFound')
  const { scriptId, tagId } = named
  const errors = await inTurn(tagId, async () => {
    const script = await ownScript(on, who.access, scriptId)
    if (!script) throw fault('scriptNotFound')
    const deployed = await save(on, who, {
      what: 'deleteScript',
      object: scriptId,
      before: stateOf(script),
      tagId,
      rows: [{ drop: 'script', scriptId }],
      live: { change: { drop: scriptId }, isUnstoppable: true },
    })
    return objections(deployed)
  })
  await eraseWaiting([scriptId], on.store.journal)
  return { errors }
}
