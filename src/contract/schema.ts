import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

export { type Static, type TObject, type TSchema, Type }

/** One thing that is wrong with a value: where (`data.contents.0.id`, `` for the whole) and what. */
export type Issue = { path: string; message: string }

export type Check = (value: unknown) => readonly Issue[]

const pathOf = (instancePath: string) => instancePath.slice(1).replaceAll('/', '.')

/** A schema, compiled once: the issues of a value, none when it is as the schema says. */
export function check(schema: TSchema): Check {
  const compiled = Compile(schema)
  return (value) => {
    if (compiled.Check(value)) return []
    const issues = new Map<string, Issue>()
    for (const error of compiled.Errors(value)) {
      if (error.keyword === 'additionalProperties') continue // told of each of them at its own place
      const missing =
        error.keyword === 'required' ? (error.params as { requiredProperties: string[] }).requiredProperties : []
      for (const name of missing) {
        const path = [pathOf(error.instancePath), name].filter(Boolean).join('.')
        issues.set(path, { path, message: 'is required' })
      }
      const path = pathOf(error.instancePath)
      if (missing.length === 0 && !issues.has(path)) issues.set(path, { path, message: messageOf(error) })
    }
    return [...issues.values()]
  }
}

/** A schema that nothing fits stands where no more names are taken. */
const messageOf = ({ keyword, message }: { keyword: string; message: string }) =>
  keyword === 'boolean' ? 'is not taken here' : message

/** A field that may be left out or null: both mean the same (decisions.md, Control API, Write). */
export const Nullable = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]))

export const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })
