import { ruleIssues } from '#contract/rule/ruleIssues.ts'
import type { Issue } from '#contract/schema.ts'
import type { ConsentCategory, ScriptWrite, SecretEntry } from '#contract/script.ts'
import { parseRegions } from '#geo/region.ts'
import { hasCredentialSet, missingSecrets } from '#provider/engine/secretValues.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { SecretSpec } from '#provider/form/secret.ts'
import { regexIssue } from '#rule/regex.ts'

/** The settings and secrets of a write, without the tag that it names. */
export type ScriptFields = Omit<ScriptWrite, 'tagId' | 'shouldDeploy'>
type VariableSpecs = Readonly<Record<string, SecretSpec>>

/** Undefined if the provider has no such variable. */
const findSpec = (secrets: VariableSpecs, variable: string): SecretSpec | undefined =>
  Object.hasOwn(secrets, variable) ? secrets[variable] : undefined

const allowsCategory = ({ consent }: Pick<Provider, 'consent'>, category: string): category is ConsentCategory =>
  (consent as readonly string[]).includes(category)

function categoryIssues(write: ScriptFields, provider: Provider): Issue[] {
  const { consentCategory: category } = write
  if (category === undefined || category === null || allowsCategory(provider, category)) return []
  return [
    { path: 'consentCategory', message: `is not allowed for this provider; use one of ${provider.consent.join(', ')}` },
  ]
}

function regionIssues({ geoRegions }: ScriptFields): Issue[] {
  const parsed = parseRegions(geoRegions)
  return 'issues' in parsed ? parsed.issues : []
}

function entryIssues(
  { variable, type }: SecretEntry,
  at: number,
  entries: readonly SecretEntry[],
  specs: VariableSpecs,
): Issue[] {
  const path = `secrets.${at}`
  const spec = findSpec(specs, variable)
  if (!spec) return [{ path: `${path}.variable`, message: notAVariable(variable, specs) }]
  const isRepeat = entries.findIndex((each) => each.variable === variable) < at
  return [
    ...(isRepeat ? [{ path: `${path}.variable`, message: 'is listed twice' }] : []),
    ...(type !== spec.type ? [{ path: `${path}.type`, message: `must be ${spec.type} for this variable` }] : []),
  ]
}

/** Lists the existing variables, and quotes only a name that has the form of one. */
function notAVariable(variable: string, specs: VariableSpecs): string {
  const given = /^[A-Z0-9_]{1,60}$/.test(variable) ? `: ${variable}` : ''
  return `is not a variable of this provider${given}; it has ${Object.keys(specs).join(', ') || 'none'}`
}

/** The issues of a write that can be found before its secrets are opened. */
export function scriptIssues(write: ScriptFields, provider: Provider): Issue[] {
  const entries = write.secrets ?? []
  return [
    ...categoryIssues(write, provider),
    ...regionIssues(write),
    ...ruleIssues(write, regexIssue),
    ...entries.flatMap((entry, at) => entryIssues(entry, at, entries, provider.secrets)),
  ]
}

/** The required variables that a new script lacks. If there are several ways to sign in, one complete way suffices. */
export function missingIssues(write: ScriptFields, provider: Provider): Issue[] {
  const provided = Object.fromEntries((write.secrets ?? []).map(({ variable }) => [variable, 'sealed']))
  const missing = missingSecrets(provider, provided)
  return missing.map((variable) => ({ path: 'secrets', message: `${variable} is required` }))
}

/** Checks that the variables after a write still have one complete way to sign in. */
export function signInIssues(set: Readonly<Record<string, unknown>>, provider: Provider): Issue[] {
  const provided = Object.fromEntries(Object.keys(set).map((variable) => [variable, 'sealed']))
  if (hasCredentialSet(provider, provided)) return []
  const alternatives = provider.credentialSets!.map((variables) => variables.join(' with ')).join(', or ')
  return [{ path: 'secrets', message: `must contain ${alternatives}` }]
}

/**
 * The issues of a variable's plaintext. They name the variable and never quote its value. An empty plaintext unsets an
 * optional variable.
 */
export function plaintextIssues(variable: string, plaintext: string, spec: SecretSpec, at: number): Issue[] {
  const issue = (message: string): Issue[] => [{ path: `secrets.${at}`, message: `${variable}: ${message}` }]
  if (plaintext === '') return spec.optional ? [] : issue('is required and cannot be empty')
  if (spec.type === 'CHECKBOX' && plaintext !== '1' && plaintext !== '0') return issue('must be 1 or 0')
  const wrong = spec.check?.(plaintext)
  return wrong === undefined ? [] : issue(wrong)
}
