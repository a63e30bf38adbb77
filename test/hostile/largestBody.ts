import type { TSchema } from '#contract/schema.ts'

type Schema = {
  type?: string
  enum?: readonly unknown[]
  const?: unknown
  pattern?: string
  anyOf?: readonly Schema[]
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  items?: Schema
  maxItems?: number
  maxLength?: number
}
type Json = Record<string, unknown>

/** Content for an open place, near the limit of a body. */
export type Filling = { name: string; of(bytes: number): unknown }
export const fillings: readonly Filling[] = [
  {
    name: 'a wide object',
    of: (bytes) => Object.fromEntries(Array.from({ length: bytes / 14 }, (_, n) => [`k${n}`, 1])),
  },
  { name: 'a wide list', of: (bytes) => Array.from({ length: bytes / 5 }, () => [[]]) },
  {
    name: 'wide objects',
    of: (bytes) =>
      Array.from({ length: Math.min(9, Math.ceil(bytes / 20_000)) }, () =>
        Object.fromEntries(Array.from({ length: Math.min(1_900, bytes / 14) }, (_, n) => [`k${n}`, 1])),
      ),
  },
  { name: 'a long text', of: (bytes) => 'a b@example.com '.repeat(bytes / 16) },
]

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Another item of a list: items must have different names. */
const another = (item: unknown, n: number): unknown =>
  isObject(item) && typeof item.name === 'string' ? { ...item, name: `${item.name} ${n}` } : item

/**
 * A value like `base` with lists of the maximum length, and texts and open places filled up to a number of bytes. `isOpen`
 * is false if the schema has no open place, so that all fillings are the same.
 */
export function enlarge(schema: TSchema, base: unknown, filling: Filling, bytes: number): unknown {
  const { type, anyOf, properties = {}, patternProperties, items, maxItems, maxLength, ...rest } = schema as Schema
  if (anyOf) {
    const large = anyOf.filter((each) => each.type !== 'null').at(-1)
    return large ? enlarge(large as TSchema, base, filling, bytes) : base
  }
  if (rest.enum || 'const' in rest) return base
  if (type === 'string') {
    const isFree = rest.pattern === undefined && maxLength !== undefined && maxLength >= 1_000
    return isFree && typeof base === 'string' ? base.padEnd(Math.min(maxLength, bytes), 'a') : base
  }
  if (type === 'array') {
    const first = Array.isArray(base) ? base[0] : undefined
    const item = first ?? filling.of(100)
    const large = items ? enlarge(items as TSchema, item, filling, 10_000) : item
    const count = Math.min(maxItems ?? 1_000_000, Math.floor(bytes / (JSON.stringify(large).length + 8)))
    return Array.from({ length: Math.max(1, count) }, (_, n) => another(large, n))
  }
  if (type === 'object' || type === undefined) {
    const names = Object.keys(properties)
    if (names.length === 0) return patternProperties || type === undefined ? filling.of(bytes) : base
    const given = isObject(base) ? base : {}
    const inBase = names.filter((name) => name in given)
    const share = bytes / Math.max(1, inBase.length)
    const large = inBase.map((name) => [name, enlarge(properties[name] as TSchema, given[name], filling, share)])
    return { ...given, ...Object.fromEntries(large) }
  }
  return base
}
