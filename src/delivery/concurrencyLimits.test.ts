import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectGarbage } from '#kit/collectGarbage.ts'
import type { Channel } from './channel.ts'
import { concurrencyCaps, type InFlightBatch, openConcurrencyLimits } from './concurrencyLimits.ts'

const batchTo = (teamId: string, host: string): InFlightBatch => ({
  channel: {} as Channel,
  deliveries: [],
  teamId,
  host,
})
const isFull = (limits: ReturnType<typeof openConcurrencyLimits>, batch: InFlightBatch) =>
  limits.full(batch) !== undefined
const fill = (limits: ReturnType<typeof openConcurrencyLimits>, batch: InFlightBatch, calls: number) => {
  for (let n = 0; n < calls; n++) limits.add(batch)
}

test('a host is full at its maximum of calls, of all teams together, and has space again when one ends', () => {
  const limits = openConcurrencyLimits()
  const [ours, theirs] = [batchTo('team_1', 'vendor.example'), batchTo('team_2', 'vendor.example')]
  fill(limits, ours, concurrencyCaps.perHost - 1)
  assert.equal(isFull(limits, theirs), false)
  limits.add(theirs)
  assert.deepEqual([isFull(limits, ours), isFull(limits, theirs)], [true, true])
  assert.equal(isFull(limits, batchTo('team_1', 'other.example')), false)
  limits.remove(ours)
  assert.equal(isFull(limits, theirs), false)
  assert.equal(limits.inFlight(), concurrencyCaps.perHost - 1)
})

test('calls to no host are limited by their team alone', () => {
  const limits = openConcurrencyLimits()
  const batch = batchTo('team_1', '')
  fill(limits, batch, concurrencyCaps.perTeam - 1)
  assert.equal(isFull(limits, batch), false)
  limits.add(batch)
  assert.equal(isFull(limits, batch), true)
  assert.equal(isFull(limits, batchTo('team_2', '')), false)
})

test('hosts and teams whose calls have ended stay not in memory: customers name the hosts', () => {
  const limits = openConcurrencyLimits()
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let n = 0; n < 200_000; n++) {
    const batch = batchTo(`team_${n}`, `${n}.vendor.example`)
    limits.add(batch)
    limits.remove(batch)
  }
  collectGarbage()
  assert.ok(process.memoryUsage().heapUsed - before < 10e6)
  assert.equal(limits.inFlight(), 0)
})
