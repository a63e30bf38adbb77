import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { JournalEvent } from '#store/store.ts'
import { type AttemptPage, pageAttempts } from './attemptPages.ts'

type JourneyDelivery = JournalEvent['deliveries'][number]

const deliveryOf = (attempts: number, n: number): JourneyDelivery => ({
  ...{ deliveryId: `dlv_${n}`, scriptId: `scr_${n}`, providerId: 'eventSink', status: 'pending', at: 0 },
  attempts: Array.from({ length: attempts }, (_, at) => ({
    deliveryId: `dlv_${n}`,
    number: at + 1,
    at,
    durationMs: 1,
  })),
})
const numbersOf = ({ attempts }: AttemptPage) => attempts.map(({ number }) => number)

/** The numbers of all attempts of a delivery, read page by page. */
function readAll(deliveries: readonly JourneyDelivery[], first: AttemptPage): number[] {
  let [page, numbers] = [first, numbersOf(first)]
  while (page.earlierAttempts) {
    const { count, cursor } = page.earlierAttempts
    const [earlier, ...others] = pageAttempts(deliveries, cursor)
    assert.deepEqual(others, [])
    assert.equal(earlier!.deliveryId, first.deliveryId)
    assert.equal(numbersOf(earlier!).at(-1), count)
    assert.ok(earlier!.attempts.length <= 20)
    numbers = [...numbersOf(earlier!), ...numbers]
    page = earlier!
  }
  return numbers
}

test('the pages of each delivery have all of its attempts once, in order; one answer has 400 or two of each delivery', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(70), { maxLength: 250 }), (lengths) => {
      const deliveries = lengths.map(deliveryOf)
      const first = pageAttempts(deliveries, undefined)
      assert.equal(first.length, deliveries.length)
      const shown = first.reduce((sum, { attempts }) => sum + attempts.length, 0)
      assert.ok(shown <= Math.max(400, 2 * deliveries.length), `${shown} attempts`)
      for (const [n, page] of first.entries()) assert.deepEqual(readAll(deliveries, page), numbersOf(deliveries[n]!))
    }),
    { numRuns: 50 },
  )
})

test('an attempt that is added while pages are read changes none of them', () => {
  const [before, after] = [deliveryOf(50, 0), deliveryOf(51, 0)]
  const { earlierAttempts } = pageAttempts([before], undefined)[0]!
  assert.deepEqual(pageAttempts([after], earlierAttempts!.cursor), pageAttempts([before], earlierAttempts!.cursor))
})

test('a cursor of no page is refused', () => {
  for (const cursor of ['', 'x', 'MQ', '{}', '\u0000'])
    assert.throws(() => pageAttempts([deliveryOf(1, 0)], cursor), { code: 'BAD_REQUEST' })
  assert.deepEqual(pageAttempts([], Buffer.from('0.5').toString('base64url')), [])
})
