import {
  type PlainSecret,
  type ReferenceContext,
  resolveReference,
  sealSecrets,
  type VariableCatalogue,
} from '#cli/api/secretReferences.ts'
import { CommandRefused } from '#cli/commandOptions.ts'
import { UsageError } from '#cli/operatorCall.ts'
import { ApiError, type Client } from '#contract/client.ts'
import type { ErrorObject } from '#contract/errorObject.ts'
import type { Me } from '#contract/me.ts'
import type { Issue } from '#contract/schema.ts'
import type { TagConfigWrite } from '#contract/tagConfig.ts'
import type { ConfigChange } from './configPlan.ts'

export type ApplyDeps = {
  api: Client
  me: Me
  catalogue: VariableCatalogue
  context: ReferenceContext
  /** Saves scripts without deploying them. */
  draft?: boolean
}

type ScriptChange = Extract<ConfigChange, { does: 'createScript' | 'updateScript' }>
/** The changes of one tag as one API call, with sealed secrets. */
export type TagCall = { tag: string; body: TagConfigWrite }

function resolveSecrets({ tag, script, secrets }: ScriptChange, context: ReferenceContext): PlainSecret[] {
  return secrets.map(({ variable, reference }) => {
    try {
      return { variable, text: resolveReference(reference, context) }
    } catch (problem) {
      throw new UsageError(`${tag} / ${script}, ${variable}: ${(problem as Error).message}.`)
    }
  })
}

async function toScriptWrite(change: ScriptChange, { me, catalogue, context }: ApplyDeps) {
  const secrets = await sealSecrets(resolveSecrets(change, context), change.body.providerId, me, catalogue)
  const { body, scriptId } = change
  return { ...body, ...(scriptId !== undefined && { scriptId }), ...(secrets.length > 0 && { secrets }) }
}

async function toTagCall(tag: string, changes: readonly ConfigChange[], deps: ApplyDeps): Promise<TagCall> {
  const [settings] = changes.flatMap((change) =>
    change.does === 'createTag' || change.does === 'updateTag' ? [change.body] : [],
  )
  const scripts: NonNullable<TagConfigWrite['scripts']> = []
  for (const change of changes) if ('secrets' in change) scripts.push(await toScriptWrite(change, deps))
  const removedScriptIds = changes.flatMap((change) => (change.does === 'deleteScript' ? [change.scriptId] : []))
  const tagId = changes.find((change) => change.tagId !== undefined)?.tagId
  const body = {
    ...(tagId !== undefined && { tagId }),
    ...(settings && { tag: settings }),
    ...(scripts.length > 0 && { scripts }),
    ...(removedScriptIds.length > 0 && { removedScriptIds }),
    ...(deps.draft && { shouldDeploy: false }),
  }
  return { tag, body }
}

/** One call for each tag of a plan. Throws UsageError for a reference that cannot be read. */
export async function toTagCalls(changes: readonly ConfigChange[], deps: ApplyDeps): Promise<TagCall[]> {
  const calls: TagCall[] = []
  for (const [tag, own] of Map.groupBy(changes, (change) => change.tag)) calls.push(await toTagCall(tag, own, deps))
  return calls
}

/** An issue of a call, with the names of the file: `scripts.0.geoRegions` becomes `shop / sink, geoRegions`. */
function toNamedIssue({ tag, body }: TagCall, { path, message }: Issue): Issue {
  const [, at, field = ''] = /^scripts\.(\d{1,3})\.?(.*)$/.exec(path) ?? []
  const script = at === undefined ? undefined : body.scripts?.[Number(at)]
  if (!script) return { path: path ? `${tag}, ${path.replace(/^tag\./, '')}` : tag, message }
  // The message of a secret's issue names its variable.
  const isNamed = field === '' || /^secrets(\.\d{1,3})?$/.test(field)
  return { path: `${tag} / ${script.name}${isNamed ? '' : `, ${field}`}`, message }
}

/** The error of one tag, whose paths are replaced by the names that the configuration file uses. */
function toNamedError(call: TagCall, error: ErrorObject): ErrorObject {
  const { issues, script, ...attributes } = error.attributes ?? {}
  const named = ((issues ?? []) as Issue[]).map((issue) => toNamedIssue(call, issue))
  const whole = { path: script === undefined ? call.tag : `${call.tag} / ${script}`, message: error.message }
  return { ...error, attributes: { ...attributes, issues: named.length > 0 ? named : [whole] } }
}

/** Joins the refusals of several tags into one error with all issues. */
function joinErrors([first, ...others]: readonly [ErrorObject, ...ErrorObject[]]): ErrorObject {
  const all = [first, ...others]
  const issues = all.flatMap(({ attributes }) => attributes?.issues as Issue[])
  const isUsage = all.every(({ statusCode }) => statusCode === 400)
  return {
    ...first,
    statusCode: isUsage ? 400 : (all.find(({ statusCode }) => statusCode !== 400)?.statusCode ?? 400),
    attributes: { ...Object.assign({}, ...all.map(({ attributes }) => attributes)), issues },
  }
}

const refusalOf = (problem: unknown, call: TagCall): ErrorObject => {
  if (problem instanceof ApiError) return toNamedError(call, problem.error)
  throw problem
}

/**
 * Asks the server to check these changes. Returns its warnings and the scopes that the token lacks. Throws CommandRefused
 * with everything that it would refuse.
 */
export async function checkCalls(calls: readonly TagCall[], api: Client) {
  const refusals: ErrorObject[] = []
  const warnings: string[] = []
  const missingScopes = new Set<string>()
  let newTags = 0
  for (const call of calls) {
    try {
      const checked = await api.checkTagConfig({ body: { ...call.body, newTags } })
      warnings.push(...checked.warnings.map((warning) => `${call.tag} / ${warning}`))
      for (const scope of checked.missingScopes) missingScopes.add(scope)
    } catch (problem) {
      refusals.push(refusalOf(problem, call))
    }
    if (call.body.tagId === undefined) newTags++
  }
  const [first, ...others] = refusals
  if (first) throw new CommandRefused(joinErrors([first, ...others]))
  return { warnings, missingScopes: [...missingScopes] }
}

/** Changes the tags one by one; each is changed completely or not at all. Returns the errors of deploy hooks. */
export async function applyCalls(calls: readonly TagCall[], api: Client): Promise<string[]> {
  const errors: string[] = []
  for (const [at, call] of calls.entries()) {
    try {
      errors.push(...(await api.applyTagConfig({ body: call.body })).errors)
    } catch (problem) {
      const changed = `${at} of ${calls.length} tags were changed; ${call.tag} was not.  `
      throw new CommandRefused(refusalOf(problem, call), changed)
    }
  }
  return errors
}
