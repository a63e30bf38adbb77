import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../test/fake/anyCodePoint.ts'
import { customerIdOf, maxCustomerIdLength } from './customerId.ts'

test('a customer id is a text without the space around it, or a whole number', () => {
  assert.deepEqual([' 4711 ', 'Ada-42', 'a@b.example', 4711, '00'].map(customerIdOf), [
    '4711',
    'Ada-42',
    'a@b.example',
    '4711',
    '00',
  ])
})

test('a placeholder, an unusable text and another type are no customer id', () => {
  const placeholders = ['0', 0, -1, 'null', 'NULL', 'undefined', 'NaN', '[object Object]', ' Guest ', 'false']
  const unusable = ['', '  ', 'a\0b', 'a\nb', '\ud800', 'x'.repeat(maxCustomerIdLength + 1), 'x'.repeat(1_000_000)]
  const otherTypes = [null, undefined, true, {}, ['4711'], 1.5, Number.NaN, 2 ** 60]
  for (const each of [...placeholders, ...unusable, ...otherTypes]) assert.equal(customerIdOf(each), undefined)
})

test('a customer id that was read is read as itself', () => {
  const property = fc.property(fc.string({ unit: anyCodePoint }), (text) => {
    const id = customerIdOf(text)
    assert.equal(customerIdOf(id), id)
  })
  fc.assert(property)
})
