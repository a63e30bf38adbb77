import assert from 'node:assert/strict'
import { test } from 'node:test'
import { piecesIn } from './items.ts'

test('the pieces of a cart: an item without a quantity is one', () => {
  assert.equal(piecesIn([{ quantity: 2, item_price: 10 }, { item_price: 5 }, { quantity: 3 }]), 6)
  assert.equal(piecesIn([]), 0)
})
