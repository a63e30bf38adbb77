import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { orderAlertOf } from './orderAlerts.ts'

const hour = (expected: number, noEvent: number) => ({ expected, noEvent })
const quiet = Array(4).fill(hour(100, 1))

describe('alerts about orders', () => {
  test('orders are missing above 5 % and above twice the median of the same hour of four weeks', () => {
    assert.deepEqual(orderAlertOf(hour(100, 6), quiet), { kind: 'order.missing', count: 6, expected: 100 })
    assert.equal(orderAlertOf(hour(100, 5), quiet), undefined)
    assert.equal(orderAlertOf(hour(100, 6), [hour(100, 3), hour(100, 3), hour(100, 99), hour(100, 0)]), undefined)
    assert.equal(
      orderAlertOf(hour(100, 7), [hour(100, 3), hour(100, 3), hour(100, 99), hour(100, 0)])?.kind,
      'order.missing',
    )
  })
  test('fewer than ten expected orders give no alert', () => {
    assert.equal(orderAlertOf(hour(9, 9), quiet), undefined)
    assert.equal(orderAlertOf(hour(10, 10), [])?.kind, 'order.missing')
  })
  test('orders have stopped where four weeks had twenty in the same hour', () => {
    assert.deepEqual(orderAlertOf(hour(0, 0), [hour(10, 0), hour(10, 0)]), { kind: 'order.stopped' })
    assert.equal(orderAlertOf(hour(0, 0), [hour(10, 0), hour(9, 0)]), undefined)
  })
})
