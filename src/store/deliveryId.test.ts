import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { idTime } from '#kit/id.ts'
import { deliveryIdOf, deliveryKeyOf, scriptCode } from './deliveryId.ts'

const some = fc.record({
  receivedAt: fc.nat(2 ** 47),
  position: fc.bigInt(0n, 2n ** 40n - 1n).map(Number),
  index: fc.nat(511),
  scriptId: fc.stringMatching(/^scr_[0-9a-z]{1,26}$/),
})

test('an id of a delivery tells its event, the code of its script, and when the event came', () => {
  fc.assert(
    fc.property(some, (of) => {
      const id = deliveryIdOf(of)
      assert.match(id, /^dlv_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
      assert.deepEqual(deliveryKeyOf(id), {
        position: of.position,
        index: of.index,
        code: scriptCode(of.scriptId),
      })
      assert.equal(idTime(id), of.receivedAt)
      assert.equal(deliveryIdOf({ ...of }), id)
    }),
  )
})

test('a text that is no id of a delivery names none', () => {
  for (const text of ['', 'dlv_1', 'dlv_zzzzzzzzzzzzzzzzzzzzzzzzzz', 'scr_01m8b5vt5gfpybh5kyejzptc3j'])
    assert.equal(deliveryKeyOf(text), undefined)
})
