import fc from 'fast-check'
import type { TSchema } from '#contract/schema.ts'
import { anyCodePoint } from './anyCodePoint.ts'

type Json = { [name: string]: unknown }
/** The keywords of JSON Schema that TypeBox uses. */
type Schema = {
  type?: string
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  properties?: Record<string, Schema>
  required?: readonly string[]
  items?: Schema
  minimum?: number
  maximum?: number
}

/** Values similar to those that a schema accepts; not all are valid. */
export function likely(schema: TSchema): fc.Arbitrary<unknown> {
  const { type, anyOf, items, properties = {}, required = [], minimum = 0, maximum = 1_000, ...rest } = schema as Schema
  if ('const' in rest) return fc.constant(rest.const)
  if (rest.enum) return fc.constantFrom(...rest.enum)
  if (anyOf) return fc.oneof(...anyOf.map((each) => likely(each as TSchema)))
  if (type === 'object') {
    const fields = Object.entries(properties).map(([name, field]) => [name, likely(field as TSchema)])
    return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] as never[] })
  }
  if (type === 'array') return fc.array(likely((items ?? {}) as TSchema), { maxLength: 3 })
  if (type === 'string') return fc.constantFrom('a', 'name', 'shop.example', 'https://a.example', 'tag_x', '1')
  if (type === 'integer' || type === 'number') return fc.integer({ min: minimum, max: maximum })
  return type === 'boolean' ? fc.boolean() : fc.constant(null)
}

/** Invalid values: other types, control characters, lone surrogates, very long texts, names of prototypes. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: anyCodePoint }),
  fc.constantFrom<unknown>(
    ...[
      '',
      ' ',
      '\u0000',
      '\ud800',
      '__proto__',
      'constructor',
      '../..',
      '%',
      "' OR 1=1 --",
      '%00',
      'x'.repeat(20_000),
    ],
    ...[-1, 1e308, 2 ** 53, -0.5, true, false, null, [], {}, [[[[]]]]],
    JSON.parse('{"__proto__": {"polluted": true}}'),
  ),
)

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value with one part replaced by `by`, or removed if `by` is undefined. `at` selects the part. */
export function spoil(value: unknown, by: unknown, at: number): unknown {
  if (!isObject(value) || Object.keys(value).length === 0) return by
  const names = Object.keys(value)
  const name = names[at % names.length]!
  const deeper = Math.floor(at / names.length)
  const { [name]: before, ...others } = value
  if (by === undefined) return others
  const isDeep = (isObject(before) || Array.isArray(before)) && deeper % 2 === 1
  const inside = Array.isArray(before) ? [spoil(before[0], by, deeper >> 1)] : spoil(before, by, deeper >> 1)
  return { ...others, [name]: isDeep ? inside : by }
}
