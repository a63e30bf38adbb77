import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatAnswer } from '../textTable.ts'
import { toReadable } from './readableRows.ts'

const since = Date.UTC(2026, 10, 20, 10)

test('a stopped script shows the reason, since when, and the next try', () => {
  const scripts = [{ scriptId: 'scr_1', stopped: { reason: 'keyRejected', since, nextAt: since + 60_000 } }]
  assert.equal(
    formatAnswer(toReadable({ scripts }), ['scriptId', 'stopped']),
    'scriptId  stopped\nscr_1     keyRejected since 2026-11-20T10:00:00.000Z, next try 2026-11-20T10:01:00.000Z\n',
  )
  assert.match(formatAnswer(toReadable(scripts[0]!)), /^stopped +keyRejected since/m)
})

test('the list of events shows how many deliveries of each have which status', () => {
  assert.equal(
    formatAnswer(toReadable({ events: [{ eventId: 'e', counts: { delivered: 1, skipped: 2 } }] })),
    'eventId  counts\ne        1 delivered, 2 skipped\n',
  )
})

test('the list of deployments says what each changed', () => {
  const scripts = [
    { scriptId: 'scr_1', name: 'Warehouse', change: 'changed', fields: ['geoRegions'] },
    { scriptId: 'scr_2', name: 'Mail', change: 'added', fields: [] },
  ]
  const deployments = [{ number: 3, changes: { settings: ['gpc'], scripts } }]
  assert.equal(
    formatAnswer(toReadable({ deployments }), ['number', 'changes']),
    'number  changes\n3       settings: gpc; changed Warehouse: geoRegions; added Mail\n',
  )
})
