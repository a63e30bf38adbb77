import type { TSchema } from '#contract/schema.ts'

/** The members of a TypeBox schema that are used here. */
type Schema = {
  type?: string
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  items?: Schema
  minItems?: number
  maxLength?: number
}

/**
 * A position of a value that can hold a text: its path, the schema's limit, and a function that puts a text there.
 */
export type TextPosition = { path: string; maxLength?: number; put(text: string): unknown }

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const member = (base: unknown, name: string): unknown => (isObject(base) ? base[name] : undefined)

/**
 * Every position of a value of this schema that can hold a text, including the member names of open objects. `base` is
 * a valid value, of which only the position is changed.
 */
export function positionsInSchema(schema: TSchema, base: unknown, path = ''): TextPosition[] {
  const { type, anyOf, properties, patternProperties, items, maxLength, ...rest } = schema as Schema
  const isFixed = rest.enum !== undefined || 'const' in rest
  if (anyOf) return unique(anyOf.flatMap((each) => positionsInSchema(each as TSchema, base, path)))
  if (type === 'string' && !isFixed) return [{ path, ...(maxLength && { maxLength }), put: (text) => text }]
  if (type === 'array') {
    const [first, ...others] = Array.isArray(base) ? base : []
    return positionsInSchema((items ?? {}) as TSchema, first, `${path}.0`).map((place) => ({
      ...place,
      put: (text) => [place.put(text), ...others],
    }))
  }
  const isOpen = type === 'object' || (type === undefined && !isFixed)
  return isOpen
    ? placesOfObject({ ...(properties && { properties }), ...(patternProperties && { patternProperties }) }, base, path)
    : []
}

function placesOfObject(
  { properties = {}, patternProperties = {} }: Schema,
  base: unknown,
  path: string,
): TextPosition[] {
  const given = isObject(base) ? base : {}
  const within = (name: string, field: Schema): TextPosition[] =>
    positionsInSchema(field as TSchema, member(base, name), `${path}.${name}`).map((place) => ({
      ...place,
      put: (text) => ({ ...given, [name]: place.put(text) }),
    }))
  const [value] = Object.values(patternProperties)
  return [
    ...Object.entries(properties).flatMap(([name, field]) => within(name, field)),
    ...(value ? within('own', value) : [{ path: `${path}.own`, put: (text: string) => ({ ...given, own: text }) }]),
    { path: `${path}.{name}`, put: (text) => ({ ...given, [text]: true }) },
  ]
}

const unique = (places: readonly TextPosition[]): TextPosition[] => [
  ...new Map(places.map((place) => [place.path, place])).values(),
]

/** Every position of a value with a text or a member name, and a function that replaces it. */
export function positionsInValue(value: unknown, path = ''): TextPosition[] {
  if (typeof value === 'string') return [{ path, put: (text) => text }]
  if (Array.isArray(value))
    return value.flatMap((each, at) =>
      positionsInValue(each, `${path}.${at}`).map((place) => ({
        ...place,
        put: (text) => value.with(at, place.put(text)),
      })),
    )
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, each]) => {
    const { [name]: _, ...others } = value
    return [
      ...positionsInValue(each, `${path}.${name}`).map((place) => ({
        ...place,
        put: (text: string) => ({ ...value, [name]: place.put(text) }),
      })),
      { path: `${path}.{${name}}`, put: (text: string) => ({ ...others, [text]: each }) },
    ]
  })
}
