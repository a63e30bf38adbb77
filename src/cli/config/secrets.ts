import type { Issue } from '#contract/schema.ts'
import type { Script } from '#contract/script.ts'
import { type Catalogue, type Place, type Reference, readReference, variableOf } from '../api/secrets.ts'
import type { ScriptConfig } from './file.ts'

/** What differs, for a person to read: a sensitive value never stands in it. */
export type Difference = { field: string; from?: unknown; to?: unknown }
/** A variable that is to be written, and where its value is. */
export type Assigned = { variable: string; reference: Reference }

/** `secrets`: those that cannot be compared are sealed anew. */
export type SecretOptions = Place & { secrets?: boolean }
/** `path` is where the script stands in the file. */
export type SecretWorld = { catalogue: Catalogue; options: SecretOptions; path: string }

type SecretPlan = { assigned: Assigned[]; differences: Difference[]; issues: Issue[] }
const nothing: SecretPlan = { assigned: [], differences: [], issues: [] }

/** A sensitive variable is written when it is not set, or when it is told: nobody can compare it. */
function planSensitive(assigned: Assigned, isSet: boolean, { options, path }: SecretWorld): SecretPlan {
  const { variable, reference } = assigned
  if (typeof reference === 'string' && reference !== '')
    return { ...nothing, issues: [{ path, message: 'is sensitive: write {env: NAME} or {file: path}' }] }
  const isUnset = reference === ''
  if (isUnset ? !isSet : isSet && !options.secrets) return nothing
  const from = isSet ? '(set)' : undefined
  return {
    ...nothing,
    assigned: [assigned],
    differences: [{ field: `secrets.${variable}`, from, to: isUnset ? undefined : '(sealed)' }],
  }
}

/** The value of any other variable is shown, and compared. */
function planShown(assigned: Assigned, now: string | undefined, { options }: SecretWorld): SecretPlan {
  const text = readReference(assigned.reference, options)
  if (text === (now ?? '')) return nothing
  const difference = { field: `secrets.${assigned.variable}`, from: now, to: text || undefined }
  return { ...nothing, assigned: [assigned], differences: [difference] }
}

function planSecret(assigned: Assigned, config: ScriptConfig, now: Script | undefined, on: SecretWorld): SecretPlan {
  try {
    const { sensitive } = variableOf(on.catalogue, config.providerId, assigned.variable)
    const state = now?.secrets?.[assigned.variable]
    return sensitive ? planSensitive(assigned, state?.isSet ?? false, on) : planShown(assigned, state?.value, on)
  } catch (problem) {
    return { ...nothing, issues: [{ path: on.path, message: (problem as Error).message }] }
  }
}

/** Variables that a new script cannot be without. */
function missing({ providerId, secrets = {} }: ScriptConfig, { catalogue, path }: SecretWorld): Issue[] {
  const needed = Object.values(catalogue[providerId] ?? {}).filter(({ optional }) => !optional)
  const lacking = needed.filter(({ variable }) => !secrets[variable])
  return lacking.map(({ variable }) => ({ path: `${path}.secrets.${variable}`, message: 'is required' }))
}

/** What has to be written of the secrets of a script; `now` is undefined where the script is new. */
export function planSecrets(config: ScriptConfig, now: Script | undefined, on: SecretWorld): SecretPlan {
  const plans = Object.entries(config.secrets ?? {}).map(([variable, reference]) =>
    planSecret({ variable, reference }, config, now, { ...on, path: `${on.path}.secrets.${variable}` }),
  )
  return {
    assigned: plans.flatMap((plan) => plan.assigned),
    differences: plans.flatMap((plan) => plan.differences),
    issues: [...plans.flatMap((plan) => plan.issues), ...(now ? [] : missing(config, on))],
  }
}
