import {
  findVariable,
  type ReferenceContext,
  resolveReference,
  type SecretReference,
  type VariableCatalogue,
} from '#cli/api/secretReferences.ts'
import type { Issue } from '#contract/schema.ts'
import type { Script } from '#contract/script.ts'
import type { ScriptConfig } from './configFile.ts'

/** A difference between file and team, for display. Contains no sensitive values. */
export type Difference = { field: string; from?: unknown; to?: unknown }
/** A variable to write, and the reference to its value. */
export type SecretAssignment = { variable: string; reference: SecretReference }

/** `secrets`: also seals sensitive variables again, which cannot be compared. */
export type SecretPlanOptions = ReferenceContext & { secrets?: boolean }
/** `path` is the path of the script in the file. */
export type SecretPlanDeps = { catalogue: VariableCatalogue; options: SecretPlanOptions; path: string }

type SecretPlan = { assigned: SecretAssignment[]; differences: Difference[]; issues: Issue[] }
const emptyPlan: SecretPlan = { assigned: [], differences: [], issues: [] }

/** A sensitive variable cannot be compared: it is written if it is not set, or with `options.secrets`. */
function planSensitive(assigned: SecretAssignment, isSet: boolean, { options, path }: SecretPlanDeps): SecretPlan {
  const { variable, reference } = assigned
  if (typeof reference === 'string' && reference !== '')
    return { ...emptyPlan, issues: [{ path, message: 'is a secret: write {env: NAME} or {file: path}' }] }
  const isUnset = reference === ''
  if (isUnset ? !isSet : isSet && !options.secrets) return emptyPlan
  const from = isSet ? '(set)' : undefined
  return {
    ...emptyPlan,
    assigned: [assigned],
    differences: [{ field: `secrets.${variable}`, from, to: isUnset ? undefined : '(sealed)' }],
  }
}

/** The values of other variables are visible and compared. */
function planVisible(assigned: SecretAssignment, now: string | undefined, { options }: SecretPlanDeps): SecretPlan {
  const text = resolveReference(assigned.reference, options)
  if (text === (now ?? '')) return emptyPlan
  const difference = { field: `secrets.${assigned.variable}`, from: now, to: text || undefined }
  return { ...emptyPlan, assigned: [assigned], differences: [difference] }
}

function planSecret(
  assigned: SecretAssignment,
  config: ScriptConfig,
  now: Script | undefined,
  deps: SecretPlanDeps,
): SecretPlan {
  try {
    const { sensitive } = findVariable(deps.catalogue, config.providerId, assigned.variable)
    const state = now?.secrets?.[assigned.variable]
    return sensitive ? planSensitive(assigned, state?.isSet ?? false, deps) : planVisible(assigned, state?.value, deps)
  } catch (problem) {
    return { ...emptyPlan, issues: [{ path: deps.path, message: (problem as Error).message }] }
  }
}

/** Issues for required variables that a new script does not set. */
function missingVariables({ providerId, secrets = {} }: ScriptConfig, { catalogue, path }: SecretPlanDeps): Issue[] {
  const required = Object.values(catalogue[providerId] ?? {}).filter(({ optional }) => !optional)
  const missing = required.filter(({ variable }) => !secrets[variable])
  return missing.map(({ variable }) => ({ path: `${path}.secrets.${variable}`, message: 'is required' }))
}

/** The secrets of a script to write; `now` is undefined for a new script. */
export function planSecrets(config: ScriptConfig, now: Script | undefined, deps: SecretPlanDeps): SecretPlan {
  const { catalogue, options, path } = deps
  const plans = Object.entries(config.secrets ?? {}).map(([variable, reference]) =>
    planSecret({ variable, reference }, config, now, { catalogue, options, path: `${path}.secrets.${variable}` }),
  )
  return {
    assigned: plans.flatMap((plan) => plan.assigned),
    differences: plans.flatMap((plan) => plan.differences),
    issues: [...plans.flatMap((plan) => plan.issues), ...(now ? [] : missingVariables(config, deps))],
  }
}
