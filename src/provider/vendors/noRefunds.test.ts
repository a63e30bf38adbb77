import assert from 'node:assert/strict'
import { test } from 'node:test'
import { customExceptRefund } from './noRefunds.ts'

test('a custom event has its own name or that of the vendor, and a refund has none', () => {
  assert.deepEqual(['Quiz', 'Refund'].map(customExceptRefund()), ['Quiz', undefined])
  assert.deepEqual(['Quiz', 'Refund'].map(customExceptRefund('OTHER')), ['OTHER', undefined])
})
