import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { boundedProperties, firstWithin, snakeCaseProperties, withCustomData } from './boundedProperties.ts'

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const anyProperties = fc.dictionary(fc.string({ maxLength: 30 }), fc.jsonValue(), { maxKeys: 30 })

test('bounded properties keep every limit, whatever is given', () => {
  const limits = {
    maxCount: 5,
    maxKeyLength: 10,
    maxTextLength: 8,
    maxBytes: 200,
    notInKey: /[^a-z]/g,
    reserved: /^we_/,
    nested: 'text',
  } as const
  fc.assert(
    fc.property(anyProperties, (properties) => {
      const bounded = boundedProperties(properties, limits)
      assert.ok(Object.keys(bounded).length <= 5)
      assert.ok(bytesOf(bounded) <= 200)
      for (const [key, value] of Object.entries(bounded)) {
        assert.match(key, /^(?!we_)[a-z_]{1,10}$/)
        assert.ok(['string', 'number', 'boolean'].includes(typeof value))
        assert.ok(typeof value !== 'string' || value.length <= 8)
      }
    }),
  )
})

test('properties without a limit are unchanged, except null', () => {
  const given = { a: 'x'.repeat(5_000), b: [1], c: { d: null }, e: false, f: null, g: undefined }
  const { f: _, g: __, ...kept } = given
  assert.deepEqual(boundedProperties(given, {}), kept)
})

test('lists and objects are omitted or become JSON text', () => {
  assert.deepEqual(boundedProperties({ a: [1], b: 2 }, { nested: 'omit' }), { b: 2 })
  assert.deepEqual(boundedProperties({ a: [1], b: 2 }, { nested: 'text' }), { a: '[1]', b: 2 })
})

test('a list that does not fit keeps its first rows, where the vendor takes part of a list', () => {
  const members = { a: 1, rows: ['aaaa', 'bbbb'], z: 'zzzz' }
  const limits = { maxBytes: 30, cutsLists: true } as const
  assert.deepEqual(boundedProperties(members, limits), { a: 1, rows: ['aaaa'] })
  assert.deepEqual(boundedProperties(members, { maxBytes: 30 }), { a: 1, z: 'zzzz' })
  assert.deepEqual(boundedProperties(members, { ...limits, maxBytes: bytesOf(members) + 1 }), members)
  fc.assert(
    fc.property(anyProperties, fc.integer({ min: 2, max: 200 }), (properties, maxBytes) => {
      assert.ok(bytesOf(boundedProperties(properties, { maxBytes, cutsLists: true })) <= maxBytes)
    }),
  )
})

test('each type has its own limit of number', () => {
  const given = { a: 'x', b: 'y', c: 1, d: 2, e: true, f: [1], g: {} }
  assert.deepEqual(boundedProperties(given, { maxCountOfType: 1 }), { a: 'x', c: 1, e: true, f: [1] })
})

test('the first rows that fit are kept, and all of them where they fit', () => {
  assert.deepEqual(firstWithin(['ab', 'cd', 'ef'], 10), ['ab', 'cd'])
  const rows = [{ a: 1 }, { a: 2 }]
  assert.equal(firstWithin(rows, 1_000), rows)
  assert.deepEqual(firstWithin(rows, 1), [])
})

test('a field of the vendor wins over a member of data of its name, unless it is not known', () => {
  const data = { order: 'own', coupon: 'own', value: 5, userEmail: 'ada@example.com' }
  assert.deepEqual(withCustomData({ order: 'A-1', coupon: undefined }, { data }), { order: 'A-1', coupon: 'own' })
})

test('properties in snake case have no items and nothing that identifies a person', () => {
  const data = { value: 5, currency: 'EUR', orderId: 'A-1', contents: [{ id: 'a' }], userEmail: 'x', gift: true }
  const event = { eventName: 'Purchase', eventId: 'e', timestamp: 1, pageUrl: 'https://shop.example/', data }
  const context = { event, data, value: 5 } as unknown as Parameters<typeof snakeCaseProperties>[0]
  assert.deepEqual(snakeCaseProperties(context), {
    order_id: 'A-1',
    value: 5,
    currency: 'EUR',
    page_url: 'https://shop.example/',
    gift: true,
  })
})
