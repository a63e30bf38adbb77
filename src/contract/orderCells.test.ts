import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reasons, statuses } from './deliveryStatus.ts'
import { cellOf, explainedCells, failedCells, isExplained, isFailed, orderCells } from './orderCells.ts'

/** The cell of each status and reason, written by hand. `*`: any reason. */
const expected: Readonly<Record<string, string>> = {
  'held *': 'waiting',
  'pending *': 'waiting',
  'delivered *': 'accepted',
  'simulated *': 'simulated',
  'skipped -': 'filtered',
  'refused -': 'payloadRefused',
  'dead -': 'expired',
  consent: 'consent',
  region: 'region',
  notSelected: 'notSelected',
  eventNotSupported: 'notSelected',
  filtered: 'filtered',
  duplicate: 'filtered',
  identityMissing: 'identityMissing',
  erased: 'erased',
  payloadRefused: 'payloadRefused',
  keyRejected: 'keyRejected',
  addressNotAllowed: 'keyRejected',
  vendorDown: 'vendorDown',
  throttled: 'vendorDown',
  expired: 'expired',
  tooOld: 'expired',
  poison: 'poison',
}

test('every status with every reason of the contract has exactly one cell', () => {
  for (const status of statuses)
    for (const reason of [undefined, ...reasons]) {
      const cell = cellOf(status, reason)
      const written = expected[`${status} *`] ?? (reason ? expected[reason] : expected[`${status} -`])
      assert.equal(cell, written, `${status} ${reason}`)
      assert.equal(orderCells.filter((each) => each === cell).length, 1)
    }
})

test('each cell is accepted, waiting, explained, failed, without an event or open, and only one of them', () => {
  for (const cell of orderCells) {
    const kinds = [isExplained(cell), isFailed(cell), ['accepted', 'waiting', 'noEvent', 'open'].includes(cell)]
    assert.equal(kinds.filter(Boolean).length, 1, cell)
  }
  assert.equal(orderCells.length, explainedCells.length + failedCells.length + 4)
})
