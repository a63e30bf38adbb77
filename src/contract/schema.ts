import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

export { type Static, type TObject, type TSchema, Type }

/** One thing that is wrong with a value: where (`data.contents.0.id`, `` for the whole) and what. */
export type Issue = { path: string; message: string }

export type Check = (value: unknown) => readonly Issue[]

const pathOf = (instancePath: string) => instancePath.slice(1).replaceAll('/', '.')

/** What the validator says of a value. `params` is as the keyword has it. */
type Told = { keyword: string; instancePath: string; message: string; params: object }

/** A schema, compiled once: the issues of a value, none when it is as the schema says. */
export function check(schema: TSchema): Check {
  const compiled = Compile(schema)
  return (value) => (compiled.Check(value) ? [] : issuesOf(compiled.Errors(value) as Told[]))
}

/** One issue for each place: of several alternatives, what keeps the value out of the one that it comes nearest to. */
function issuesOf(errors: readonly Told[]): Issue[] {
  const issues = new Map<string, Issue & { nearness: number }>()
  const tell = (path: string, message: string, nearness: number) => {
    if (nearness > (issues.get(path)?.nearness ?? -1)) issues.set(path, { path, message, nearness })
  }
  for (const error of errors) {
    const path = pathOf(error.instancePath)
    const { requiredProperties: missing = [] } = error.params as { requiredProperties?: string[] }
    for (const name of missing) tell([path, name].filter(Boolean).join('.'), 'is required', 3)
    if (missing.length === 0) tell(path, messageOf(error), nearnessOf(error))
  }
  const told = [...issues.values()]
  return told
    .filter(({ path, nearness }) => nearness > 0 || !told.some((other) => isBelow(other.path, path)))
    .map(({ path, message }) => ({ path, message }))
}

/** What is wrong within a value says that it is of the right type: it is an alternative that wants another. */
const isBelow = (path: string, above: string) => path !== above && (above === '' || path.startsWith(`${above}.`))

/** Names that are not taken are told at their own places, and alternatives one by one: the whole has nothing to add. */
const nearnessOf = ({ keyword }: Told) =>
  ['additionalProperties', 'anyOf'].includes(keyword) ? -1 : keyword === 'type' ? 0 : keyword === 'const' ? 1 : 2

function messageOf({ keyword, message, params }: Told): string {
  if (keyword === 'boolean') return 'is not taken here' // the schema that nothing fits
  if (keyword === 'const') return `must be ${JSON.stringify((params as { allowedValue?: unknown }).allowedValue)}`
  return message
}

/** A field that may be left out or null: both mean the same. */
export const Nullable = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]))

export const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })
