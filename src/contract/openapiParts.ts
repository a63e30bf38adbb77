import { ErrorObject } from './errorObject.ts'
import { EventPayload, EventResult } from './event.ts'
import { type FaultName, faults } from './fault.ts'
import { Journey } from './journey.ts'
import { Manifest } from './manifest.ts'
import { Jwks, Me, SealingKey } from './me.ts'
import { ReplayableStatusSchema } from './replay.ts'
import { documentedKeyword, type TObject, type TSchema } from './schema.ts'
import { Script, ScriptWrite, SecretEntry, SecretState } from './script.ts'
import { Tag, TagWrite } from './tag.ts'

const named = { ErrorObject, Journey, Jwks, Manifest, Me, Script, ScriptWrite, SealingKey, SecretEntry, SecretState }
/** The schemas that the document names. */
export const components: Record<string, TSchema> = {
  ...named,
  Tag,
  TagWrite,
  EventPayload,
  EventResult,
  ReplayableStatus: ReplayableStatusSchema,
}
const nameOf = new Map(Object.entries(components).map(([name, schema]) => [schema as unknown, name]))

export type Json = Record<string, unknown>

/** A TypeBox schema is JSON Schema. Replaces named schemas by a $ref and inserts the `documented` keywords. */
export function withReferences(schema: unknown, isRoot = false): unknown {
  const name = nameOf.get(schema)
  if (name && !isRoot) return { $ref: `#/components/schemas/${name}` }
  if (Array.isArray(schema)) return schema.map((each) => withReferences(each))
  if (typeof schema !== 'object' || schema === null) return schema
  const { [documentedKeyword]: documented, ...rest } = schema as Json
  const keywords = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withReferences(value)]))
  return { ...typeFor(rest), ...keywords, ...(withReferences(documented) as object | undefined) }
}

/**
 * Keywords that client generators need in addition to a schema. Without a format, they use 32-bit numbers, which round
 * amounts. Without a type, the fields of a text enum get no type.
 */
function typeFor({ type, format, enum: values }: Json): Json {
  if (type === 'number' && format === undefined) return { format: 'double' }
  const isText = type === undefined && Array.isArray(values) && values.every((value) => typeof value === 'string')
  return isText ? { type: 'string' } : {}
}

export const contentOf = (schema: TSchema, more: Json, type: string) => ({
  [type]: { schema: withReferences(schema), ...more },
})
export const json = (schema: TSchema, more: Json = {}) => contentOf(schema, more, 'application/json')

export const exampleIn = (value: unknown): Json => (value === undefined ? {} : { example: value })

/** The pattern of an id if its example is one: `tag_` and 26 characters of Crockford's base32. */
const idForm = (example: unknown): Json => {
  const [, prefix] = /^([a-z]+_)01[0-9a-z]{24}$/.exec(String(example)) ?? []
  return prefix ? { pattern: `^${prefix}[0-9a-z]{26}$` } : {}
}

/** The fields of a path or a query. `examples`: example values by name. */
export const toParameters = (
  schema: TObject | undefined,
  place: 'path' | 'query',
  examples: Readonly<Record<string, unknown>>,
) =>
  Object.entries(schema?.properties ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: schema?.required?.includes(name) ?? false,
    schema: { ...(withReferences(field) as Json), ...idForm(examples[name]) },
    // A comma list: `status=dead,refused`.
    ...((field as { type?: string }).type === 'array' && { style: 'form', explode: false }),
    ...(schema?.required?.includes(name) && exampleIn(examples[name])),
  }))

/** One response for each error status, with one example for each fault of that status. */
export function errorResponses(names: readonly FaultName[]): Json {
  const byStatus = Map.groupBy(names, (name) => faults[name].status)
  const responses = [...byStatus].map(([status, faultNames]) => {
    const examples = faultNames.map((name) => {
      const { code, message } = faults[name]
      return [code, { value: { message, statusCode: status, error: code } }]
    })
    const description = faultNames.map((name) => `\`${faults[name].code}\`: ${faults[name].message}`).join('\n\n')
    return [status, { description, content: json(ErrorObject, { examples: Object.fromEntries(examples) }) }]
  })
  return Object.fromEntries(responses)
}
