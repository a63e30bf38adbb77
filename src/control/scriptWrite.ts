import type { TeamAccess } from '#account/teamAccess.ts'
import { badRequest, fault } from '#contract/fault.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import { ruleNames, rulesAfter } from '#contract/rule/channelRules.ts'
import type { ConsentCategory, ScriptPatch } from '#contract/script.ts'
import { newId } from '#kit/id.ts'
import type { Secret } from '#kit/secret.ts'
import { missingCodeSecrets } from '#provider/engine/codeSecrets.ts'
import type { Provider } from '#provider/form/provider.ts'
import { providers } from '#providers/index.ts'
import { findCodeIssue } from '#sandbox/parseCode.ts'
import { checkAddresses } from '#script/checkAddresses.ts'
import { nextSecrets } from '#script/nextSecrets.ts'
import { ruleWarnings } from '#script/ruleWarnings.ts'
import { missingIssues, plaintextIssues, type ScriptFields, scriptIssues, signInIssues } from '#script/scriptIssues.ts'
import { openEntries, openSecrets } from '#script/secret.ts'
import { scriptCode } from '#store/deliveryId.ts'
import type { AuditState, ScriptRecord } from '#store/store.ts'
import { nextRevision } from '#tag/revision.ts'
import type { ControlDeps } from './controlDeps.ts'
import { refuseUnaccepted } from './policies.ts'
import type { ApiCaller, SavedChange } from './saveChange.ts'

/** The provider, if this build has it. Throws providerNotAvailable. */
export function requireProvider(id: ProviderId): Provider {
  const provider = providers[id]
  if (!provider) throw fault('providerNotAvailable')
  return provider
}

/** The decrypted secrets of a write, and the warnings. */
export type OpenedSecrets = { opened: Map<string, Secret>; warnings: string[] }

/** Decrypts and checks the secrets of a write whose other fields are valid. Throws badRequest, overloaded. */
async function openSecretEntries(
  deps: ControlDeps,
  { teamId }: TeamAccess,
  write: ScriptFields,
  provider: Provider,
): Promise<OpenedSecrets> {
  const { secrets, providerId } = write
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
  return { opened, warnings: [...addresses.warnings, ...ruleWarnings(write, provider)] }
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
    throw badRequest({
      path: `secrets.${[...opened.keys()].indexOf(codeIssue.variable)}`,
      message: codeIssue.says,
      ...codeIssue.place,
    })
}

/** The settings of a write. A setting that it omits is unset. */
const scriptSettings = ({ name, consentCategory, geoRegions, purchaseValueMode }: ScriptFields) => ({
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

/** Checks the write of a new script. Throws providerNotAvailable, policyNotAccepted, secretRefused, badRequest. */
export async function checkNewScript(
  deps: ControlDeps,
  access: TeamAccess,
  write: ScriptFields,
): Promise<OpenedSecrets> {
  const provider = requireProvider(write.providerId)
  await refuseUnaccepted(deps, access)
  const issues = [...scriptIssues(write, provider), ...missingIssues(write, provider)]
  if (issues.length > 0) throw badRequest(...issues)
  return openSecretEntries(deps, access, write, provider)
}

/** Checks the write of an existing script. Throws providerNotAvailable, secretRefused, badRequest. */
export async function checkScriptUpdate(
  deps: ControlDeps,
  access: TeamAccess,
  write: ScriptFields,
  { providerId }: Pick<ScriptRecord, 'providerId'>,
): Promise<OpenedSecrets> {
  const provider = requireProvider(write.providerId)
  if (write.providerId !== providerId) throw badRequest({ path: 'providerId', message: `stays ${providerId}` })
  const issues = scriptIssues(write, provider)
  if (issues.length > 0) throw badRequest(...issues)
  return openSecretEntries(deps, access, write, provider)
}

/** An id whose code is unique among the tag's scripts: their delivery ids differ by that code. */
function newScriptId(siblings: readonly Pick<ScriptRecord, 'scriptId'>[], nowMs: number): string {
  const taken = new Set(siblings.map(({ scriptId }) => scriptCode(scriptId)))
  let scriptId = newId('scr', nowMs)
  while (taken.has(scriptCode(scriptId))) scriptId = newId('scr', nowMs)
  return scriptId
}

/** A new script before its first save: version 0, without secrets. `siblings`: the other scripts of its tag. */
export const newScriptRecord = (
  owner: Pick<ScriptRecord, 'tagId' | 'teamId'>,
  { name, providerId }: { name: string; providerId: ProviderId },
  { siblings, nowMs }: { siblings: readonly Pick<ScriptRecord, 'scriptId'>[]; nowMs: number },
): ScriptRecord => ({
  scriptId: newScriptId(siblings, nowMs),
  ...owner,
  name,
  providerId,
  secrets: {},
  createdAt: nowMs,
  version: 0,
})

export type WrittenSettings = {
  what: 'createScript' | 'updateScript' | 'patchScript'
  body: ScriptFields
  opened: Map<string, Secret>
}

/** The settings that a PUT replaces. */
const settingNames = ['name', 'consentCategory', 'geoRegions', 'purchaseValueMode'] as const
const publishedNames = [...settingNames, ...ruleNames]

/** A patch as a full write: fields that it does not name are taken from the saved script. */
export const patchedFields = (
  { name, providerId, consentCategory, geoRegions, purchaseValueMode }: ScriptRecord,
  patch: ScriptPatch,
): ScriptFields => ({
  name,
  consentCategory: consentCategory ?? null,
  geoRegions: geoRegions ?? null,
  purchaseValueMode: purchaseValueMode ?? null,
  ...patch,
  providerId,
})

/** The fields that a write names, in the form of a deployment. */
export const namedFields = (settings: object, secrets: ScriptPatch['secrets']): ReadonlySet<string> =>
  new Set([
    ...publishedNames.filter((name) => (settings as Record<string, unknown>)[name] !== undefined),
    ...(secrets ?? []).map(({ variable }) => `secrets.${variable}`),
  ])
export const everySetting = Object.fromEntries(settingNames.map((name) => [name, null]))

/** Throws badRequest if the set variables include no complete set of credentials. */
export function refuseNoSignIn(set: Readonly<Record<string, unknown>>, provider: Provider): void {
  const issues = signInIssues(set, provider)
  if (issues.length > 0) throw badRequest(...issues)
}

/** Throws badRequest if the code, after this write, requires a secret that is not set. */
async function refuseMissingCodeSecrets(
  { environment, store, keys }: ControlDeps,
  { teamId, secrets: refs }: Pick<ScriptRecord, 'teamId' | 'secrets'>,
  { code }: Provider,
  opened: WrittenSettings['opened'],
): Promise<void> {
  if (!code || ![code.source, code.values, code.token].some((variable) => variable && opened.has(variable))) return
  const kept = Object.entries(refs).filter(([variable]) => !opened.has(variable))
  const secrets = [...Object.entries(await openSecrets(Object.fromEntries(kept), { environment, store, keys, teamId }))]
  const plaintexts = Object.fromEntries([...secrets, ...opened].map(([variable, secret]) => [variable, secret.open()]))
  const missing = missingCodeSecrets(code, plaintexts)
  if (missing.length > 0)
    throw badRequest(
      ...missing.map((name) => ({
        path: 'secrets',
        message: `the code requires ${name}: write it as ${name === code.token ? 'this variable' : `a non-empty text in ${code.values}`}`,
      })),
    )
}

/** A warning if the code of the script can be called by anybody who knows its address. */
export const openCallWarnings = ({ secrets }: Pick<ScriptRecord, 'secrets'>, { code }: Provider): string[] =>
  code?.argument === 'request' && !secrets.WEBHOOK_TOKEN
    ? ['WEBHOOK_TOKEN is not set, so anyone who knows the URL can run this code']
    : []

/** The script after a write, and the change that saves it. Throws badRequest without a complete set of credentials. */
export async function toScriptChange(
  deps: ControlDeps,
  { access }: ApiCaller,
  existing: ScriptRecord,
  { what, body, opened }: WrittenSettings,
): Promise<SavedChange & { row: ScriptRecord }> {
  const { environment, store, keys, clock } = deps
  const { scriptId, tagId, teamId, providerId, createdAt, paused } = existing
  const owner = { environment, teamId, scriptId, provider: requireProvider(providerId) }
  const { refs, versions } = await nextSecrets(existing.secrets, opened, owner, { keys, store, nowMs: clock.now() })
  refuseNoSignIn(refs, owner.provider)
  await refuseMissingCodeSecrets(deps, existing, owner.provider, opened)
  const revision = nextRevision(existing, access.by, clock.now())
  const fixed = { scriptId, tagId, teamId, providerId, createdAt, ...revision, ...(paused && { paused }) }
  const row: ScriptRecord = { ...fixed, ...scriptSettings(body), ...rulesAfter(existing, body), secrets: refs }
  return {
    what,
    object: scriptId,
    ...(what !== 'createScript' && { before: scriptAuditState(existing) }),
    after: scriptAuditState(row),
    rows: [{ put: 'script', row }, ...versions.map((version) => ({ add: 'secret' as const, row: version }))],
    row,
  }
}

/** The change that resets a saved script to its live version. */
export const toScriptReset = (script: ScriptRecord, row: ScriptRecord): SavedChange => ({
  what: 'discardDraft',
  object: script.scriptId,
  before: scriptAuditState(script),
  after: scriptAuditState(row),
  rows: [{ put: 'script', row }],
})

/** The change that deletes a script. */
export const toScriptRemoval = (script: ScriptRecord): SavedChange => ({
  what: 'deleteScript',
  object: script.scriptId,
  before: scriptAuditState(script),
  rows: [{ drop: 'script', scriptId: script.scriptId }],
})
