import type { Issue } from '#contract/schema.ts'
import type { ConsentCategory, ScriptWrite, SecretEntry } from '#contract/script.ts'
import { parseRegions } from '#geo/region.ts'
import { hasCredentialSet, missingSecrets } from '#provider/engine/secretValues.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { SecretSpec } from '#provider/form/secret.ts'

type Specs = Readonly<Record<string, SecretSpec>>

/** What the catalogue says of a variable; undefined for one that it does not have. */
export const specOf = (secrets: Specs, variable: string): SecretSpec | undefined =>
  Object.hasOwn(secrets, variable) ? secrets[variable] : undefined

/** Whether the provider lets a script have this category. */
export const allowsCategory = ({ consent }: Pick<Provider, 'consent'>, category: string): category is ConsentCategory =>
  (consent as readonly string[]).includes(category)

function categoryIssues(write: ScriptWrite, provider: Provider): Issue[] {
  const { consentCategory: category } = write
  if (category === undefined || category === null || allowsCategory(provider, category)) return []
  return [{ path: 'consentCategory', message: `is not one this provider allows: ${provider.consent.join(', ')}` }]
}

function regionIssues({ geoRegions }: ScriptWrite): Issue[] {
  const read = parseRegions(geoRegions)
  return 'issues' in read ? read.issues : []
}

function entryIssues(
  { variable, type }: SecretEntry,
  at: number,
  entries: readonly SecretEntry[],
  specs: Specs,
): Issue[] {
  const path = `secrets.${at}`
  const spec = specOf(specs, variable)
  if (!spec) return [{ path: `${path}.variable`, message: 'is no variable of this provider' }]
  const isRepeat = entries.findIndex((each) => each.variable === variable) < at
  return [
    ...(isRepeat ? [{ path: `${path}.variable`, message: 'is listed twice' }] : []),
    ...(type !== spec.type ? [{ path: `${path}.type`, message: `is ${spec.type} for this variable` }] : []),
  ]
}

/** May it be written so? All that can be said before a secret is opened. */
export function issuesOf(write: ScriptWrite, provider: Provider): Issue[] {
  const entries = write.secrets ?? []
  return [
    ...categoryIssues(write, provider),
    ...regionIssues(write),
    ...entries.flatMap((entry, at) => entryIssues(entry, at, entries, provider.secrets)),
  ]
}

/** The required variables that a new script does not bring; where there are several ways to sign in, those of one. */
export function missingIssues(write: ScriptWrite, provider: Provider): Issue[] {
  const brought = Object.fromEntries((write.secrets ?? []).map(({ variable }) => [variable, 'sealed']))
  const missing = missingSecrets(provider, brought)
  return missing.map((variable) => ({ path: 'secrets', message: `${variable} is required` }))
}

/** Of the variables that a script would have after a write: whether one of several ways to sign in stays whole. */
export function signInIssues(set: Readonly<Record<string, unknown>>, provider: Provider): Issue[] {
  const given = Object.fromEntries(Object.keys(set).map((variable) => [variable, 'sealed']))
  if (hasCredentialSet(provider, given)) return []
  const ways = provider.credentialSets!.map((variables) => variables.join(' with ')).join(', or ')
  return [{ path: 'secrets', message: `must hold ${ways}` }]
}

/** What is wrong with a plaintext; nothing of it is repeated. An empty one unsets an optional variable. */
export function plaintextIssues(plaintext: string, spec: SecretSpec, at: number): Issue[] {
  const path = `secrets.${at}`
  if (plaintext === '') return spec.optional ? [] : [{ path, message: 'is required and cannot be empty' }]
  if (spec.type === 'CHECKBOX' && plaintext !== '1' && plaintext !== '0') {
    return [{ path, message: 'is neither 1 nor 0' }]
  }
  const wrong = spec.check?.(plaintext)
  return wrong === undefined ? [] : [{ path, message: wrong }]
}
