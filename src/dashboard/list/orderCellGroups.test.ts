import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderCells } from '#contract/orderCells.ts'
import { cellsInQuery, cellsOf, orderColumns, ordersIn } from './orderCellGroups.ts'

test('each cell of the contract is in exactly one column', () => {
  assert.deepEqual(orderColumns.flatMap(cellsOf).toSorted(), [...orderCells].sort())
})

test('the columns of a channel add up to its orders', () => {
  const explained = { consent: 1, region: 2, notSelected: 3, filtered: 4, identityMissing: 5, simulated: 6, erased: 7 }
  const failed = { payloadRefused: 1, keyRejected: 2, vendorDown: 3, expired: 4, poison: 5 }
  const channel = {
    ...{ scriptId: 'scr_1', name: 'Meta', providerId: 'facebook', accepted: 10, acceptedAfterRetry: 1, waiting: 2 },
    ...{ explained, failed, noEvent: 3, open: 4, valueDiffers: 1, currencyDiffers: 0, repeated: 0, gap: [] },
  }
  assert.deepEqual(
    orderColumns.map((column) => ordersIn(channel, column)),
    [10, 2, 28, 15, 3, 4],
  )
})

test('an address names cells; what is none is left out', () => {
  assert.deepEqual(cellsInQuery('noEvent,constructor,consent,'), ['noEvent', 'consent'])
  assert.deepEqual(cellsInQuery(undefined), [])
})
