import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { reportIntervals } from '#contract/order.ts'
import type { OrderWithPurchases } from '#store/orders.ts'
import { cases } from '../../test/fake/cases.ts'
import { history, scripts, start } from './histories.fixture.ts'
import { type IntervalRange, intervalOf, intervalRanges } from './localTime.ts'
import { channelOutcome, mergeOutcomes, outcomeOf, outcomePatterns, readOutcomeText, toOutcomeText } from './outcome.ts'
import { countOrders, type IntervalGroup } from './report.ts'
import { fillScope, isExpected } from './scope.ts'

const comparison = { channels: new Map(scripts.map((script) => [script.scriptId, script])), tolerance: 0.01 }
const dayMs = 86_400_000
const openAfter = start + 30 * 3_600_000

const groupOf = (order: OrderWithPurchases, ranges: readonly IntervalRange[]): IntervalGroup => ({
  from: intervalOf(order.placedAt, ranges).from,
  status: order.status,
  salesChannel: order.salesChannel!,
  currency: order.currency!,
  outcome: toOutcomeText(outcomeOf(order, comparison)),
  isOpen: order.placedAt > openAfter,
  count: 1,
  value: order.value!,
})

/** Groups orders with equal outcomes, as a store does. */
function grouped(
  orders: readonly OrderWithPurchases[],
  interval: (typeof reportIntervals)[number],
  timezone: string,
): IntervalGroup[] {
  const ranges = intervalRanges({ fromMs: start - 2 * dayMs, toMs: start + 2 * dayMs }, interval, timezone)
  const groups = new Map<string, IntervalGroup>()
  for (const order of orders) {
    const { count: _, value, ...key } = groupOf(order, ranges)
    const known = groups.get(JSON.stringify(key))
    groups.set(JSON.stringify(key), { ...key, count: (known?.count ?? 0) + 1, value: (known?.value ?? 0) + value })
  }
  return [...groups.values()]
}

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, each) => all + each, 0)
const zones = [
  'UTC',
  'Europe/Berlin',
  'America/Sao_Paulo',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
]

test('in every history the cells of each channel, and those of reception, add up to the expected orders', () => {
  fc.assert(
    fc.property(
      history,
      fc.constantFrom(...reportIntervals),
      fc.constantFrom(...zones),
      fc.option(fc.subarray(['web', 'pos', 'app'])),
      (orders, interval, timezone, salesChannels) => {
        const scope = fillScope({ timezone, ...(salesChannels && { salesChannels }) })
        const report = countOrders({ groups: grouped(orders, interval, timezone), channels: scripts, scope })
        const { expected, open, all, outOfScope } = report.orders
        assert.equal(all, orders.length)
        assert.equal(expected + outOfScope, all)
        assert.equal(expected, orders.filter((order) => isExpected(order, scope)).length)
        for (const channel of report.channels) {
          const { accepted, waiting, explained, failed, noEvent } = channel
          assert.equal(accepted + waiting + sum(explained) + sum(failed) + noEvent + channel.open, expected)
          assert.equal(channel.open, open)
          for (const mark of ['acceptedAfterRetry', 'valueDiffers', 'currencyDiffers', 'repeated'] as const)
            assert.ok(channel[mark] <= accepted, mark)
          if (expected > open) {
            assert.equal(channel.acceptance, accepted / (expected - open))
            assert.equal(channel.accounted, (accepted + sum(explained)) / (expected - open))
          } else assert.equal(channel.acceptance, undefined)
        }
        assert.equal(sum(report.received) + open, expected)
        assert.equal(
          report.intervals.reduce((count, each) => count + each.orders, 0),
          expected,
        )
        for (const each of report.intervals)
          for (const counts of Object.values(each.channels)) assert.equal(sum(counts) + each.open, each.orders)
      },
    ),
    { numRuns: cases(10_000, 500) },
  )
})

test('each order is counted in the cell that its own purchases reach, in one channel as in the report of all', () => {
  fc.assert(
    fc.property(history, (orders) => {
      const scope = fillScope({})
      const report = countOrders({ groups: grouped(orders, 'day', 'UTC'), channels: scripts, scope })
      for (const channel of report.channels) {
        const cells = orders
          .filter((order) => isExpected(order, scope))
          .map((order) => {
            const outcome = outcomeOf(order, comparison)
            return channelOutcome(outcome, channel.scriptId, order.placedAt > openAfter).cell
          })
        const counts = { ...channel, ...channel.explained, ...channel.failed } as unknown as Record<string, number>
        for (const cell of new Set(cells))
          assert.equal(counts[cell], cells.filter((each) => each === cell).length, cell)
      }
    }),
    { numRuns: cases(1_000) },
  )
})

test('an outcome is read from its text as it was written, and is found by the pattern of its cell', () => {
  const isLike = (text: string, pattern: string) => {
    const [first = '', ...parts] = pattern.split('%')
    if (!text.startsWith(first)) return false
    let at = first.length
    for (const part of parts) {
      at = text.indexOf(part, at)
      if (at < 0) return false
      at += part.length
    }
    return true
  }
  fc.assert(
    fc.property(history, (orders) => {
      for (const order of orders) {
        const outcome = outcomeOf(order, comparison)
        const text = toOutcomeText(outcome)
        assert.deepEqual(readOutcomeText(text), { ...outcome, channels: new Map([...outcome.channels].sort()) })
        for (const { scriptId } of scripts) {
          const { cell } = channelOutcome(outcome, scriptId, false)
          for (const patterns of [outcomePatterns([cell], scriptId), outcomePatterns([cell])])
            assert.ok(!patterns || patterns.some((pattern) => isLike(text, pattern)), `${text} in ${patterns}`)
        }
      }
    }),
    { numRuns: cases(1_000) },
  )
})

test('an outcome merged with one of its later states never loses what came furthest', () => {
  fc.assert(
    fc.property(history, (orders) => {
      for (const order of orders) {
        const whole = outcomeOf(order, comparison)
        const [first, ...later] = order.purchases
        const earlier = outcomeOf({ ...order, purchases: first ? [first] : [] }, comparison)
        const merged = mergeOutcomes(earlier, outcomeOf({ ...order, purchases: later }, comparison))
        assert.equal(merged.received, whole.received)
        for (const [scriptId, { cell }] of whole.channels) assert.equal(merged.channels.get(scriptId)?.cell, cell)
      }
    }),
    { numRuns: cases(1_000) },
  )
})
