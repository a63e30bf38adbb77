import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isHmacOf, parseShopValue } from './shopSource.ts'

test('ids of a shop are texts with all their digits, and every other value is as it was sent', () => {
  const texts = fc.string({ unit: fc.constantFrom('"', '\\', 'id', '_id', ':', '1', ' ', ',', '}') })
  const others = fc.oneof(texts, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean())
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.dictionary(texts, others), texts, (id, more, text) => {
      const plain = Object.fromEntries(Object.entries(more).filter(([name]) => !/(^|_)id$/.test(name)))
      const sent = JSON.stringify({ text, plain, list: [{ order_id: 7 }], end: text })
      const read = parseShopValue(`{"id": ${id}, "line_item_id":${id} , "of": ${sent}}`)
      const of = JSON.parse(JSON.stringify({ text, plain, list: [{ order_id: '7' }], end: text }))
      assert.deepEqual(read, { id: `${id}`, line_item_id: `${id}`, of })
    }),
  )
})

test('a number whose name only ends like an id stays a number', () =>
  assert.deepEqual(parseShopValue('{"\\"id":7,"a\\"x_id":8,"\\\\":{"id":9}}'), {
    '"id': 7,
    'a"x_id': 8,
    '\\': { id: '9' },
  }))

test('a body with more values or levels than any order is refused before it is parsed', () => {
  const broken = (text: string) => assert.throws(() => parseShopValue(text), { code: 'BAD_REQUEST' })
  broken(`[${'0,'.repeat(500_000)}0]`)
  broken(`[${'{"id":1},'.repeat(110_000)}0]`)
  broken('['.repeat(500_000) + ']'.repeat(500_000))
  assert.equal((parseShopValue(`[${'0,'.repeat(90_000)}0]`) as number[]).length, 90_001)
})

test('no signature is of an empty or absent key', () => {
  const digests = ['', '4Kr2tdrW1Hx8cLTtfHFFz9pVNwFd7bo0b+8nDHEbB2E=', undefined]
  for (const key of [undefined, '', Buffer.alloc(0)])
    for (const digest of digests) assert.equal(isHmacOf('body', digest, [key]), false)
})
