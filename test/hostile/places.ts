import type { TSchema } from '#contract/schema.ts'

/** JSON Schema as TypeBox writes it, as far as it is read here. */
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

/** A place in a value where a text may stand: its path, the schema's own limit, and the value with a text put there. */
export type Place = { path: string; maxLength?: number; put(text: string): unknown }

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const member = (base: unknown, name: string): unknown => (isObject(base) ? base[name] : undefined)

/**
 * Every place of a value of this schema where a text may stand, the names of open objects included. `base` is a value that
 * is taken: what is around the text stays as it is there.
 */
export function placesIn(schema: TSchema, base: unknown, path = ''): Place[] {
  const { type, anyOf, properties, patternProperties, items, maxLength, ...rest } = schema as Schema
  const isFixed = rest.enum !== undefined || 'const' in rest
  if (anyOf) return unique(anyOf.flatMap((each) => placesIn(each as TSchema, base, path)))
  if (type === 'string' && !isFixed) return [{ path, ...(maxLength && { maxLength }), put: (text) => text }]
  if (type === 'array') {
    const [first, ...others] = Array.isArray(base) ? base : []
    return placesIn((items ?? {}) as TSchema, first, `${path}.0`).map((place) => ({
      ...place,
      put: (text) => [place.put(text), ...others],
    }))
  }
  const isOpen = type === 'object' || (type === undefined && !isFixed)
  return isOpen
    ? placesOfObject({ ...(properties && { properties }), ...(patternProperties && { patternProperties }) }, base, path)
    : []
}

function placesOfObject({ properties = {}, patternProperties = {} }: Schema, base: unknown, path: string): Place[] {
  const given = isObject(base) ? base : {}
  const within = (name: string, field: Schema): Place[] =>
    placesIn(field as TSchema, member(base, name), `${path}.${name}`).map((place) => ({
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

const unique = (places: readonly Place[]): Place[] => [...new Map(places.map((place) => [place.path, place])).values()]

/** Every place of a value where a text or a name stands: the value with another in its place. */
export function leavesOf(value: unknown, path = ''): Place[] {
  if (typeof value === 'string') return [{ path, put: (text) => text }]
  if (Array.isArray(value))
    return value.flatMap((each, at) =>
      leavesOf(each, `${path}.${at}`).map((place) => ({ ...place, put: (text) => value.with(at, place.put(text)) })),
    )
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, each]) => {
    const { [name]: _, ...others } = value
    return [
      ...leavesOf(each, `${path}.${name}`).map((place) => ({
        ...place,
        put: (text: string) => ({ ...value, [name]: place.put(text) }),
      })),
      { path: `${path}.{${name}}`, put: (text: string) => ({ ...others, [text]: each }) },
    ]
  })
}
