import { isLabel, type Provider } from './provider.ts'

type Given = Readonly<Record<string, string>>
type Asking = Pick<Provider, 'secrets' | 'oneOf'>

const requiredMissing = ({ secrets }: Asking, given: Given): string[] =>
  Object.keys(secrets).filter((variable) => !secrets[variable]!.optional && !given[variable])

/** Whether one of the ways to sign in is whole. */
export const canSignIn = ({ oneOf }: Asking, given: Readonly<Record<string, string | undefined>>): boolean =>
  !oneOf || oneOf.some((variables) => variables.every((variable) => given[variable]))

/** The required variables that have no value; where none of several ways to sign in is whole, those of the first. */
export function missingSecrets(asking: Asking, given: Given): string[] {
  const ways = canSignIn(asking, given) ? [] : (asking.oneOf?.[0] ?? [])
  return [...requiredMissing(asking, given), ...ways.filter((variable) => !given[variable])]
}

/** What is wrong with the value of a variable: a sentence that does not repeat it. */
export function wrongSecret({ secrets }: Asking, given: Given): { variable: string; says: string } | undefined {
  for (const [variable, { check }] of Object.entries(secrets)) {
    const says = given[variable] && check?.(given[variable])
    if (says) return { variable, says }
  }
  return undefined
}

/**
 * The secrets that a provider declares, with its defaults. Throws where one is missing or would name another host: control
 * writes no such script, so that it lies here is a bug.
 */
export function declaredSecrets(id: string, provider: Asking, given: Given): Record<string, string> {
  const missing = requiredMissing(provider, given)
  if (missing.length > 0) throw new Error(`a script of ${id} lacks ${missing.join(', ')}`)
  const set: Record<string, string> = {}
  for (const [variable, spec] of Object.entries(provider.secrets)) {
    const value = given[variable] || spec.default
    if (value && spec.isHostLabel && !isLabel(value))
      throw new Error(`${variable} of a script of ${id} is no host label`)
    if (value) set[variable] = value
  }
  return Object.freeze(set)
}
