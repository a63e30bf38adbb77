import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../test/fake/cases.ts'
import { normalOrderId } from './orderId.ts'

test('ids are trimmed, lose one leading #, and a global id is its last part without a query', () => {
  const written = [' #1001 ', '1001', '##1001', 'gid://shopify/Order/123?x=y', 'gid://shopify/Order/123', 'WC-7', '#']
  assert.deepEqual(written.map(normalOrderId), ['1001', '1001', '#1001', '123', '123', 'WC-7', ''])
})

test('an id that differs in anything else stays different', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[A-Za-z0-9-]{1,20}$/), fc.stringMatching(/^[A-Za-z0-9-]{1,20}$/), (one, other) => {
      assert.equal(normalOrderId(one) === normalOrderId(`#${other}`), one === other)
    }),
    { numRuns: cases(1_000) },
  )
})
