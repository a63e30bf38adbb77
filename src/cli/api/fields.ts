import type { Operation } from '#contract/operation.ts'
import type { TSchema } from '#contract/schema.ts'
import { WrongUsage } from '../call.ts'

/** `either`: a whole number or a text. */
export type Kind = 'flag' | 'number' | 'list' | 'text' | 'either' | 'json'

/** One value that an operation takes, as the command line takes it. */
export type Field = {
  name: string
  /** `params` stand as arguments in the order of the path, the others are options. */
  part: 'params' | 'query' | 'body'
  kind: Kind
  /** The option's words without dashes: `geo-regions`, and `tag` for `tagId`. */
  word: string
  help: string
  isRequired: boolean
  choices?: readonly string[]
}

type Shape = { type?: string; enum?: readonly string[]; anyOf?: Shape[]; items?: Shape; description?: string }

/** What may also be null, without that. */
function shapeOf(schema: Shape): Shape {
  const others = schema.anyOf?.filter(({ type }) => type !== 'null')
  return others?.length === 1 ? shapeOf(others[0]!) : schema
}

function kindOf({ type, items, enum: choices, anyOf }: Shape): Kind {
  if (anyOf && ['text', 'number'].every((kind) => anyOf.some((each) => kindOf(each) === kind))) return 'either'
  // One or several of a kind: a list of one is written as one.
  if (anyOf?.some((each) => kindOf(each) === 'list')) return 'list'
  if (type === 'boolean') return 'flag'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string' || choices) return 'text'
  return type === 'array' && items && kindOf(items) === 'text' ? 'list' : 'json'
}

const kinds: Record<Kind, string> = {
  flag: '',
  number: '',
  text: '',
  either: '',
  list: ', a comma list',
  json: ', as JSON',
}
const spaced = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
const plain = (name: string) => name.replace(/(.)Id$/, '$1')

function fieldOf(name: string, part: Field['part'], schema: Shape, isRequired: boolean): Field {
  const shape = shapeOf(schema)
  const kind = kindOf(shape)
  const choices = kind === 'text' ? shape.enum : undefined
  const help = (schema.description ?? shape.description ?? spaced(name)) + kinds[kind]
  const word = spaced(plain(name)).replaceAll(' ', '-')
  return { name, part, kind, word, help, isRequired, ...(choices && { choices }) }
}

function fieldsIn(part: Field['part'], schema: TSchema | undefined): Field[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Shape>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, shape]) => fieldOf(name, part, shape, required.includes(name)))
}

/** Everything that an operation takes, read from its row. */
export function fieldsOf({ params, query, body }: Operation): Field[] {
  return [...fieldsIn('params', params), ...fieldsIn('query', query), ...fieldsIn('body', body)]
}

function jsonOf({ word }: Field, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new WrongUsage(`--${word} takes JSON.`)
  }
}

function numberOf({ name, word, part }: Field, text: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text)
  throw new WrongUsage(`${part === 'params' ? `<${name}>` : `--${word}`} takes a whole number.`)
}

/** What was written for a field as the value that the operation takes; a blank option unsets it. */
export function valueFor(field: Field, given: string | boolean): unknown {
  const { kind, part, name } = field
  if (typeof given === 'boolean') return given
  if (part === 'params' && given.trim() === '') throw new WrongUsage(`<${name}> is blank.`)
  if (kind === 'list') return given === '' ? [] : given.split(',').map((each) => each.trim())
  if (given === '') return null
  if (kind === 'number' || (kind === 'either' && /^\d+$/.test(given))) return numberOf(field, given)
  return kind === 'json' ? jsonOf(field, given) : given
}

/** The input of the typed client: path and query by name, the body apart. */
export function inputOf(fields: readonly Field[], given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const named = (part: Field['part']) =>
    fields
      .filter((field) => field.part === part && given[field.name] !== undefined)
      .map((field) => [field.name, valueFor(field, given[field.name] as string | boolean)] as const)
  return { ...Object.fromEntries([...named('params'), ...named('query')]), body: Object.fromEntries(named('body')) }
}
