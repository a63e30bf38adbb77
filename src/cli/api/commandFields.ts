import { UsageError } from '#cli/operatorCall.ts'
import { type Operation, paramsOf } from '#contract/operations.ts'
import type { TSchema } from '#contract/schema.ts'

/** `either`: a whole number or a text. */
type FieldKind = 'flag' | 'number' | 'list' | 'text' | 'either' | 'json'

/** One input field of an operation as an argument or option of a command. */
export type CommandField = {
  name: string
  /** `params` are arguments in the order of the path; the others are options. */
  part: 'params' | 'query' | 'body'
  kind: FieldKind
  /** The option's name without leading dashes: `geo-regions`, and `tag` for `tagId`. */
  word: string
  help: string
  isRequired: boolean
  choices?: readonly string[]
}

type JsonSchema = {
  type?: string
  enum?: readonly string[]
  anyOf?: JsonSchema[]
  items?: JsonSchema
  description?: string
}

/** The schema without its `null` alternative. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const others = schema.anyOf?.filter(({ type }) => type !== 'null')
  return others?.length === 1 ? withoutNull(others[0]!) : schema
}

function fieldKind({ type, items, enum: choices, anyOf }: JsonSchema): FieldKind {
  if (anyOf && ['text', 'number'].every((kind) => anyOf.some((each) => fieldKind(each) === kind))) return 'either'
  // One value or a list of values: the option takes a comma-separated list.
  if (anyOf?.some((each) => fieldKind(each) === 'list')) return 'list'
  if (type === 'boolean') return 'flag'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string' || choices) return 'text'
  return type === 'array' && items && fieldKind(items) === 'text' ? 'list' : 'json'
}

const kindHints: Record<FieldKind, string> = {
  flag: '',
  number: '',
  text: '',
  either: '',
  list: ', a comma list',
  json: ', as JSON',
}
const splitWords = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
const withoutIdSuffix = (name: string) => name.replace(/(.)Id$/, '$1')

function toCommandField(
  name: string,
  part: CommandField['part'],
  schema: JsonSchema,
  isRequired: boolean,
): CommandField {
  const shape = withoutNull(schema)
  const kind = fieldKind(shape)
  const choices = kind === 'text' ? shape.enum : undefined
  const help = (schema.description ?? shape.description ?? splitWords(name)) + kindHints[kind]
  const word = splitWords(withoutIdSuffix(name)).replaceAll(' ', '-')
  return { name, part, kind, word, help, isRequired, ...(choices && { choices }) }
}

function fieldsOfSchema(part: CommandField['part'], schema: TSchema | undefined): CommandField[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, JsonSchema>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, shape]) => toCommandField(name, part, shape, required.includes(name)))
}

/** Every input field of an operation. */
export function operationFields(operation: Operation): CommandField[] {
  const { query, body } = operation
  const params = fieldsOfSchema('params', paramsOf(operation))
  return [...params, ...fieldsOfSchema('query', query), ...fieldsOfSchema('body', body)]
}

function parseJson({ word }: CommandField, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`--${word} takes JSON.`)
  }
}

function parseInteger({ name, word, part }: CommandField, text: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  throw new UsageError(`${part === 'params' ? `<${name}>` : `--${word}`} must be an integer.`)
}

/** Parses the text of a field to the value of its kind; null for a blank option. Throws UsageError. */
export function parseFieldValue(field: CommandField, given: string | boolean): unknown {
  const { kind, part, name } = field
  if (typeof given === 'boolean') return given
  if (part === 'params' && given.trim() === '') throw new UsageError(`<${name}> is blank.`)
  if (kind === 'list') return given === '' ? [] : given.split(',').map((each) => each.trim())
  if (given === '') return null
  if (kind === 'number' || (kind === 'either' && /^\d+$/.test(given))) return parseInteger(field, given)
  return kind === 'json' ? parseJson(field, given) : given
}

/** The input of the typed client: path and query fields by name, and a separate `body`. */
export function buildInput(
  fields: readonly CommandField[],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const named = (part: CommandField['part']) =>
    fields
      .filter((field) => field.part === part && given[field.name] !== undefined)
      .map((field) => [field.name, parseFieldValue(field, given[field.name] as string | boolean)] as const)
  return { ...Object.fromEntries([...named('params'), ...named('query')]), body: Object.fromEntries(named('body')) }
}
