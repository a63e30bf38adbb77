import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clickPair, customerStatus, lastClick } from './affiliate.ts'

const captured = {
  old: { value: 'old-1', at: 1 },
  new: { value: 'new-1', at: 3 },
  order: { value: 'A-1', at: 9 },
  other: { value: 'other-1', at: 8 },
  twin: { value: 'twin-1', at: 3 },
}
const of = (...names: string[]) => lastClick({ captured, data: { orderId: 'A-1' } }, names)?.value

test('the last click is the newest of the names of a network, whatever their order', () => {
  assert.equal(of('old', 'new'), 'new-1')
  assert.equal(of('new', 'old'), 'new-1')
})

test('of two of the same time the first name wins; another network’s click is never taken', () => {
  assert.equal(of('new', 'twin'), 'new-1')
  assert.equal(of('twin', 'new'), 'twin-1')
  assert.equal(of('absent'), undefined)
})

test('an order id in a parameter of the same name is no click', () => {
  assert.equal(of('order', 'old'), 'old-1')
  assert.equal(of('order'), undefined)
})

test('two parameters are of one click only where they came at the same time', () => {
  assert.deepEqual(clickPair({ captured }, 'new', 'twin'), { first: 'new-1', second: 'twin-1', at: 3 })
  assert.equal(clickPair({ captured }, 'new', 'old'), undefined)
  assert.equal(clickPair({ captured }, 'new', 'absent'), undefined)
})

test('a network is told whether a customer is new only where the shop says so', () => {
  const words = { isNew: 'new', isReturning: 'existing' }
  assert.equal(customerStatus({ isNewCustomer: true }, words), 'new')
  assert.equal(customerStatus({ isNewCustomer: false }, words), 'existing')
  assert.equal(customerStatus({}, words), undefined)
  assert.equal(customerStatus({ isNewCustomer: 'yes' }, words), undefined)
})
