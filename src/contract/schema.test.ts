import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { providerIds } from './providerIds.ts'
import { Nullable, Type } from './schema.ts'
import { patternIssue } from './schemaPatterns.ts'
import { compileValidator } from './validator.ts'

const issues = compileValidator(
  Type.Object(
    { base: Type.String(), rates: Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), Type.Number()) },
    { additionalProperties: false },
  ),
)

test('a valid value has no issues', () => {
  assert.deepEqual(issues({ base: 'EUR', rates: { USD: 1.08 } }), [])
})

test('each error is one issue with its path', () => {
  assert.deepEqual(issues({ rates: { USD: 'x' } }), [
    { path: 'base', message: 'is required' },
    { path: 'rates.USD', message: 'must be number' },
  ])
})

test('an unknown member is one issue at its own path', () => {
  assert.deepEqual(issues({ base: 'EUR', rates: {}, rate: 1, more: null }), [
    { path: 'rate', message: 'is not known here' },
    { path: 'more', message: 'is not known here' },
  ])
})

test('the issue of a union is that of its nearest alternative', () => {
  const minutes = compileValidator(
    Type.Object({
      hold: Nullable(Type.Union([Type.Literal('off'), Type.Integer({ minimum: 1, maximum: 30 })])),
      hosts: Nullable(Type.Array(Type.Object({ name: Type.String() }))),
    }),
  )
  const issueTexts = (value: object) => minutes(value).map(({ path, message }) => `${path} ${message}`)
  assert.deepEqual(issueTexts({ hold: 'off', hosts: null }), [])
  assert.deepEqual(issueTexts({ hold: 31 }), ['hold must be <= 30'])
  assert.deepEqual(issueTexts({ hold: 0 }), ['hold must be >= 1'])
  assert.deepEqual(issueTexts({ hold: 'on' }), ['hold must be "off"'])
  assert.deepEqual(issueTexts({ hosts: [{ name: 1 }, {}] }), [
    'hosts.0.name must be string',
    'hosts.1.name is required',
  ])
  assert.deepEqual(issueTexts({ hosts: 'x' }), ['hosts must be array'])
})

test('any value has an issue exactly when it is not valid', () => {
  const validate = compileValidator(
    Type.Union([Type.Object({ a: Type.Union([Type.String(), Type.Literal(7)]) }), Type.Null()]),
  )
  const isValid = (value: unknown) =>
    value === null || (typeof value === 'object' && 'a' in value && (typeof value.a === 'string' || value.a === 7))
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.record({ a: fc.anything() }), fc.constant({ a: 7 })), (value) => {
      assert.equal(validate(value).length === 0, isValid(value) && !Array.isArray(value))
    }),
  )
})

test('a value that is not in a long list is answered with the nearest one', () => {
  const [issue] = compileValidator(Type.Object({ providerId: Type.Enum([...providerIds]) }))({ providerId: 'klavio' })
  assert.deepEqual([issue?.path, issue?.message.split('; ')[1]], ['providerId', 'did you mean klaviyo?'])
})

/** Every pattern in a schema. */
function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'pattern' in value && typeof value.pattern === 'string' ? [value.pattern] : []
  const below = Object.entries(value).filter(([name]) => name !== 'documented')
  return [...own, ...below.flatMap(([, each]) => patternsIn(each))]
}

test('a text in a wrong form is told in words, never by a pattern', () => {
  const inputs = Object.values<Operation>(operations).flatMap(({ params, query, body }) => [params, query, body])
  const all = patternsIn(inputs)
  assert.ok(all.length > 5)
  for (const pattern of all) assert.ok(patternIssue(pattern), pattern)
  const [issue] = compileValidator(operations.createTag.body)({ name: 'Shop', domain: 'https://shop.example/cart' })
  assert.match(issue!.message, /must be a host name alone, such as shop\.example/)
})

test('of a value with more than 6,000 values the issues are not listed, because that takes long', () => {
  const check = compileValidator(Type.Object({ texts: Type.Array(Type.String()) }))
  const listOf = (count: number, last: unknown) => ({ texts: [...Array.from({ length: count - 3 }, () => 'a'), last] })
  assert.deepEqual(check(listOf(6_001, 'a')), [])
  assert.equal(check(listOf(6_000, 1))[0]?.path, 'texts.5997')
  assert.equal(check(listOf(6_001, 1))[0]?.path, '')
})
