import { Compile } from 'typebox/compile'
import { closestName } from './closestName.ts'
import type { Issue, TSchema } from './schema.ts'
import { patternIssue } from './schemaPatterns.ts'

export type Validator = (value: unknown) => readonly Issue[]

const pathOf = (instancePath: string) => instancePath.slice(1).replaceAll('/', '.')

/** An error of the validator. The type of `params` depends on the keyword. */
type ValidationError = { keyword: string; instancePath: string; message: string; params: object }

/** Beyond this number of values, no issues are listed: finding them takes ten times as long as the check. */
const maxDetailed = 6_000
const notDetailed = `does not fit the schema; the issues of more than ${maxDetailed} values are not listed`

/** Whether a value contains more values than this, counting itself. */
function hasMoreValues(value: unknown, than: number): boolean {
  const rest = [value]
  let count = 0
  while (rest.length > 0 && count <= than) {
    const each = rest.pop()
    count++
    if (typeof each === 'object' && each !== null) for (const member of Object.values(each)) rest.push(member)
  }
  return count > than
}

/** Compiles a schema. The validator returns the issues of a value, none if it is valid. */
export function compileValidator(schema: TSchema): Validator {
  const compiled = Compile(schema)
  return (value) => {
    if (compiled.Check(value)) return []
    if (hasMoreValues(value, maxDetailed)) return [{ path: '', message: notDetailed }]
    return issuesOf(compiled.Errors(value) as ValidationError[], value)
  }
}

/** At most one issue for each path. For a union, the error of the alternative that is nearest to the value. */
function issuesOf(errors: readonly ValidationError[], value: unknown): Issue[] {
  const issues = new Map<string, Issue & { rank: number }>()
  const addIssue = (path: string, message: string, rank: number) => {
    if (rank > (issues.get(path)?.rank ?? -1)) issues.set(path, { path, message, rank })
  }
  for (const error of errors) {
    const path = pathOf(error.instancePath)
    const { requiredProperties: missing = [] } = error.params as { requiredProperties?: string[] }
    for (const name of missing) addIssue([path, name].filter(Boolean).join('.'), 'is required', 3)
    if (missing.length === 0) addIssue(path, messageOf(error, value), rankOf(error))
  }
  const all = [...issues.values()]
  return all
    .filter(({ path, rank }) => rank > 0 || !all.some((other) => isBelow(other.path, path)))
    .map(({ path, message }) => ({ path, message }))
}

/** An error inside a value means that the value's type is right: a type error at the value belongs to another alternative. */
const isBelow = (path: string, above: string) => path !== above && (above === '' || path.startsWith(`${above}.`))

/** Errors of unknown members and of unions are dropped (-1): their parts are reported at their own paths. */
const rankOf = ({ keyword }: ValidationError) =>
  ['additionalProperties', 'anyOf'].includes(keyword) ? -1 : keyword === 'type' ? 0 : keyword === 'const' ? 1 : 2

function messageOf({ keyword, message, params, instancePath }: ValidationError, whole: unknown): string {
  if (keyword === 'boolean') return 'is not known here' // the schema `false`, which no value matches
  if (keyword === 'enum')
    return enumMessage(
      (params as { allowedValues?: readonly unknown[] }).allowedValues ?? [],
      valueAt(whole, instancePath),
    )
  if (keyword === 'pattern') return patternIssue((params as { pattern?: unknown }).pattern) ?? message
  if (keyword === 'const') return `must be ${JSON.stringify((params as { allowedValue?: unknown }).allowedValue)}`
  return message
}

/** Longer lists, such as the provider ids, are only in the reference. */
const maxListed = 20

const enumMessage = (values: readonly unknown[], given: unknown) => {
  if (values.length <= maxListed) return `must be one of ${values.join(', ')}`
  const meant = typeof given === 'string' && given.length <= 100 && closestName(given, values.map(String))
  return `must be one of the ${values.length} values in the reference${meant ? `; did you mean ${meant}?` : ''}`
}

/** The value at a JSON pointer. The names in our schemas need no escapes. */
const valueAt = (whole: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], whole)
