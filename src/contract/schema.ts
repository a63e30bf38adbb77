import Type, { type Static, type TObject, type TSchema } from 'typebox'
import { patterns } from './schemaPatterns.ts'

export { type Static, type TObject, type TSchema, Type }

/** One error of a value: its path (`data.contents.0.id`, empty for the whole value) and its message. */
export type Issue = { path: string; message: string }

/** An optional field for which null means absent. */
export const Nullable = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]))

/** A point in time in epoch milliseconds. Generated clients need a 64-bit number: a float would round it. */
export const EpochMs = (options: { description?: string } = {}) =>
  Type.Integer({ format: 'int64', description: 'epoch ms', ...options })

/** Optional fields that need only a description. */
export const OptionalText = (description: string) => Type.Optional(Type.String({ description }))
export const OptionalFlag = (description: string) => Type.Optional(Type.Boolean({ description }))
export const OptionalInteger = (description: string) => Type.Optional(Type.Integer({ description }))
export const OptionalNumber = (description: string) => Type.Optional(Type.Number({ description }))
export const OptionalTime = (description: string) => Type.Optional(EpochMs({ description }))

/**
 * Keywords that only the OpenAPI document contains: a format that the server checks after the schema, with a more
 * helpful message than a pattern allows. `{ documented: { format: 'uri' } }` among the options of a type.
 */
export const documentedKeyword = 'documented'

/** The `documented` keywords of a time that may also have a fraction. */
export const epochMsForm = { type: 'integer', format: 'int64' }

/** The `documented` keywords of a duration: `30m`, `12h`, `90d`. */
export const durationForm = { pattern: '^[1-9][0-9]{0,2}[mhd]$' }

export const Name = Type.String({ minLength: 1, maxLength: 200, pattern: patterns.name })
