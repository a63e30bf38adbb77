import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildBatches } from '#provider/engine/buildBatches.ts'
import { exampleInput, exampleNow } from '#provider/engine/exampleRequests.ts'
import { judge } from '#provider/engine/judgement.ts'
import { judgePartialFailures } from '#provider/engine/partialFailures.ts'
import type { Provider } from '#provider/form/provider.ts'
import brevo from './brevo.ts'

/** What becomes of each of three events of one request: the reason, or `delivered`. */
function reasonsOf(id: string, provider: Provider, status: number, json: unknown): string[] {
  const inputs = [1, 2, 3].map(() => exampleInput(provider.examples[0]!))
  const { batches } = buildBatches(id, provider, inputs)
  assert.equal(batches.length, 1)
  const response = { status, headers: {}, body: JSON.stringify(json), durationMs: 1 }
  const whole = judge(provider, response, exampleNow)
  const partial = judgePartialFailures(provider, batches[0]!, response, whole)
  return inputs.map((_, row) => (partial.get(row) ?? whole).reason ?? 'delivered')
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
