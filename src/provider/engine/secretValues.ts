import type { Provider } from '#provider/form/provider.ts'
import { isHostLabel } from '#provider/form/secret.ts'

type Plaintexts = Readonly<Record<string, string>>
type SecretRules = Pick<Provider, 'secrets' | 'credentialSets'>

const requiredMissing = ({ secrets }: SecretRules, given: Plaintexts): string[] =>
  Object.keys(secrets).filter((variable) => !secrets[variable]!.optional && !given[variable])

/** Whether every variable of one credential set has a value. */
export const hasCredentialSet = (
  { credentialSets }: SecretRules,
  given: Readonly<Record<string, string | undefined>>,
): boolean => !credentialSets || credentialSets.some((variables) => variables.every((variable) => given[variable]))

/** The required variables without a value. If no credential set is complete, also those of the first set. */
export function missingSecrets(rules: SecretRules, given: Plaintexts): string[] {
  const firstSet = hasCredentialSet(rules, given) ? [] : (rules.credentialSets?.[0] ?? [])
  return [...requiredMissing(rules, given), ...firstSet.filter((variable) => !given[variable])]
}

/** The first invalid value. The message does not repeat it. */
export function invalidSecret(
  { secrets }: SecretRules,
  given: Plaintexts,
): { variable: string; message: string } | undefined {
  for (const [variable, { check }] of Object.entries(secrets)) {
    const message = given[variable] && check?.(given[variable])
    if (message) return { variable, message }
  }
  return undefined
}

/**
 * The values of the provider's variables for `request`, with defaults. Throws if a required value is missing or a host
 * label is invalid: control rejects such scripts, so this would be a bug.
 */
export function secretValues(id: string, provider: SecretRules, given: Plaintexts): Readonly<Record<string, string>> {
  const known = valuesOf.get(given)
  if (known?.provider === provider) return known.values
  const values = chooseValues(id, provider, given)
  // The values of a deployment are frozen and are computed once.
  if (Object.isFrozen(given)) valuesOf.set(given, { provider, values })
  return values
}

const valuesOf = new WeakMap<Plaintexts, { provider: SecretRules; values: Readonly<Record<string, string>> }>()

function chooseValues(id: string, provider: SecretRules, given: Plaintexts): Readonly<Record<string, string>> {
  const missing = requiredMissing(provider, given)
  if (missing.length > 0) throw new Error(`a script of ${id} lacks ${missing.join(', ')}`)
  const values: Record<string, string> = {}
  for (const [variable, spec] of Object.entries(provider.secrets)) {
    const value = given[variable] || spec.default
    if (value && spec.isHostLabel && !isHostLabel(value))
      throw new Error(`${variable} of a script of ${id} is not a host label`)
    if (value) values[variable] = value
  }
  return Object.freeze(values)
}
