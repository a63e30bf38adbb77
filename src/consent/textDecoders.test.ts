import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeTcf, now, vendorIds } from './tcString.fixture.ts'
import { decodeTcf, maxTextLength } from './text/textDecoders.ts'

test('what a text says is kept once it comes for the second time, and is that of no other text', () => {
  // All bits differ from the texts of other tests in this process, because the hash samples only some characters.
  const some = vendorIds.filter((_, bit) => bit % 3 === 1)
  const text = encodeTcf({ vendors: some, disclosed: some, vendorInterests: some }, now - 37 * 86_400_000)
  const first = decodeTcf(text)
  const second = decodeTcf(text)
  assert.notEqual(second, first)
  assert.deepEqual(second, first)
  assert.equal(decodeTcf(text), second)
  // More texts than the cache holds, each three times, so that some share a slot.
  const texts = Array.from({ length: 700 }, (_, n) =>
    encodeTcf({ vendors: vendorIds.filter((_, bit) => (n >> (bit % 10)) & 1) }, now - n * 86_400_000),
  )
  const expected = texts.map((each) => decodeTcf(each))
  for (let round = 0; round < 2; round++)
    assert.deepEqual(
      texts.map((each) => decodeTcf(each)),
      expected,
    )
})

test('a text that is too long is unreadable, as often as it comes', () => {
  for (let round = 0; round < 3; round++) assert.equal(decodeTcf('C'.repeat(maxTextLength + 1)), 'unreadable')
})
