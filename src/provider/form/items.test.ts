import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  itemsWithId,
  mapItems,
  numberedFields,
  orderLines,
  totalQuantity,
  wholePieces,
  wholeQuantity,
} from './items.ts'

test('the pieces of a cart: an item without a quantity is one', () => {
  assert.equal(totalQuantity([{ quantity: 2, item_price: 10 }, { item_price: 5 }, { quantity: 3 }]), 6)
  assert.equal(totalQuantity([]), undefined)
})

test('a vendor that counts pieces gets a whole number of at least one', () => {
  const quantities = [{ quantity: 3 }, { quantity: 0.4 }, { quantity: 2.5 }, { quantity: 0 }, { quantity: -1 }, {}]
  assert.deepEqual(quantities.map(wholeQuantity), [3, 1, 3, 1, 1, 1])
})

test('where a vendor pays by quantity times price, a fraction of a piece is one piece at the price of the fraction', () => {
  const items = [
    { id: 'a', quantity: 2, item_price: 5 },
    { id: 'b', quantity: 0.3, item_price: 0.1 },
    { id: 'c', quantity: 1.5 },
    { id: 'd', item_price: 4 },
    { id: 'e', quantity: 0, item_price: 4 },
    { id: 'f', quantity: -1, item_price: 4 },
  ]
  assert.deepEqual(wholePieces(items), [
    { id: 'a', quantity: 2, item_price: 5 },
    { id: 'b', quantity: 1, item_price: 0.03 },
    { id: 'c', quantity: 1 },
    { id: 'd', item_price: 4, quantity: 1 },
  ])
})

test('an order is sent in lines only where each item has an id and a price: else their sum is less than the order', () => {
  assert.deepEqual(orderLines([{ id: 'a', item_price: 9, quantity: 0.5 }]), [{ id: 'a', item_price: 4.5, quantity: 1 }])
  assert.equal(orderLines([{ id: 'a', item_price: 9 }, { id: 'b' }]), undefined)
  assert.equal(orderLines([{ id: 'a', item_price: 9 }, { item_price: 1 }]), undefined)
  assert.equal(orderLines([]), undefined)
})

test('items without an id are left out where a vendor can find none by anything else', () => {
  assert.deepEqual(itemsWithId([{ id: 'a' }, { title: 'x' }, { id: '' }]), [{ id: 'a' }])
})

test('a list that would be empty is absent', () => {
  assert.deepEqual(
    mapItems([{ id: 'a' }, { id: 'b' }], ({ id }) => id),
    ['a', 'b'],
  )
  assert.equal(
    mapItems([], ({ id }) => id),
    undefined,
  )
})

test('the fields of items are numbered from 1', () => {
  const fields = numberedFields([{ id: 'a', quantity: 2 }, { id: 'b' }], ({ id, quantity }) => ({
    Sku: id,
    Qty: quantity,
  }))
  assert.deepEqual(fields, { Sku1: 'a', Qty1: 2, Sku2: 'b', Qty2: undefined })
  assert.equal(
    numberedFields([], () => ({ a: 1 })),
    undefined,
  )
})
