import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildBatches } from '#provider/engine/buildBatches.ts'
import { exampleInput, exampleNow } from '#provider/engine/exampleRequests.ts'
import { judge } from '#provider/engine/judgement.ts'
import { judgePartialFailures } from '#provider/engine/partialFailures.ts'
import type { Provider } from '#provider/form/provider.ts'
import brevo from './brevo.ts'
import cleverTap from './cleverTap.ts'
import { examplesOf } from './examples/all.ts'
import iterable from './iterable.ts'

/** The outcome of each of three events in one request: the reason, or `delivered`. */
function reasonsOf(id: string, provider: Provider, status: number, json: unknown): string[] {
  const [first] = examplesOf(id)
  const inputs = [1, 2, 3].map((n) =>
    exampleInput({ ...first!, user: { customerId: `customer-${n}`, email: `p${n}@example.com` } }),
  )
  const { batches } = buildBatches(id, provider, inputs)
  assert.equal(batches.length, 1)
  const response = { status, headers: {}, body: JSON.stringify(json), durationMs: 1 }
  const whole = judge(provider, response, exampleNow)
  const partial = judgePartialFailures(provider, batches[0]!, response, whole)
  return inputs.map((_, row) => (partial.size > 0 ? partial.get(row) : whole)?.reason ?? 'delivered')
}

test('Brevo: the events that a 207 lists are refused, and the others are delivered', () => {
  const of = (failed_events: number, errors: object[]) =>
    reasonsOf('brevo', brevo, 207, {
      status: 'partial',
      total_events: 3,
      successful_events: 3 - failed_events,
      failed_events,
      errors,
    })
  assert.deepEqual(of(1, [{ eventIndex: [1], message: 'bad name' }]), ['delivered', 'payloadRefused', 'delivered'])
  assert.deepEqual(of(2, [{ eventIndex: [0, 2], message: 'bad' }]), ['payloadRefused', 'delivered', 'payloadRefused'])
  assert.deepEqual(of(3, [{ message: 'bad' }]), ['payloadRefused', 'payloadRefused', 'payloadRefused'])
  assert.deepEqual(of(0, []), ['delivered', 'delivered', 'delivered'])
})

test('Iterable: the people and the event names that a bulk response lists are refused', () => {
  const of = (more: object) => reasonsOf('iterable', iterable, 200, { successCount: 1, failCount: 2, ...more })
  assert.deepEqual(of({ invalidEmails: ['p2@example.com'] }), ['delivered', 'payloadRefused', 'delivered'])
  assert.deepEqual(of({ failedUpdates: { forgottenUserIds: ['customer-3'], invalidEmails: ['p1@example.com'] } }), [
    'payloadRefused',
    'delivered',
    'payloadRefused',
  ])
  assert.deepEqual(of({ disallowedEventNames: ['PageView'] }), Array(3).fill('payloadRefused'))
  assert.deepEqual(of({}), Array(3).fill('delivered'))
})

test('CleverTap: the records that a 200 repeats as unprocessed are refused, and the others are delivered', () => {
  const of = (...identities: string[]) =>
    reasonsOf('cleverTap', cleverTap, 200, {
      status: identities.length > 0 ? 'partial' : 'success',
      processed: 3 - identities.length,
      unprocessed: identities.map((identity) => ({
        status: 'fail',
        code: 509,
        error: 'bad',
        record: { type: 'event', identity, ts: 1_700_000_000, evtName: 'Page Viewed' },
      })),
    })
  assert.deepEqual(of('customer-2'), ['delivered', 'payloadRefused', 'delivered'])
  assert.deepEqual(of('customer-1', 'customer-3'), ['payloadRefused', 'delivered', 'payloadRefused'])
  assert.deepEqual(of(), Array(3).fill('delivered'))
})
