import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildBatches } from '#provider/engine/buildBatches.ts'
import { exampleInput, exampleNow } from '#provider/engine/exampleRequests.ts'
import { judge } from '#provider/engine/judgement.ts'
import { judgePartialFailures } from '#provider/engine/partialFailures.ts'
import amazonEventBridge from './amazonEventBridge.ts'
import { examplesOf } from './examples/all.ts'

const [first, second, third] = examplesOf('amazonEventBridge').map(exampleInput)
const answer = (...Entries: object[]) => ({
  status: 200,
  headers: {},
  body: JSON.stringify({ Entries }),
  durationMs: 1,
})

test('EventBridge names the entries of a call that failed, and each is tried again for its own reason or refused', () => {
  const { batches } = buildBatches('amazonEventBridge', amazonEventBridge, [first!, second!, third!])
  assert.equal(batches.length, 1)
  const response = answer({ ErrorCode: 'ThrottlingException' }, { EventId: 'e-2' }, { ErrorCode: 'MalformedDetail' })
  const whole = judge(amazonEventBridge, response, exampleNow)
  const left = judgePartialFailures(amazonEventBridge, batches[0]!, response, whole)
  assert.deepEqual(
    [0, 1, 2].map((event) => left.get(event)?.reason ?? whole.verdict),
    ['throttled', 'delivered', 'payloadRefused'],
  )
})

test('EventBridge: an entry alone that failed is not delivered although the status is 200', () => {
  const of = (entry: object) => judge(amazonEventBridge, answer(entry), exampleNow).reason ?? 'delivered'
  assert.deepEqual(
    [{ EventId: 'e-1' }, { ErrorCode: 'InternalFailure' }, { ErrorCode: 'NotAuthorizedForSource' }].map(of),
    ['delivered', 'vendorDown', 'payloadRefused'],
  )
})

test('EventBridge takes at most ten entries in a call', () => {
  const { batches } = buildBatches(
    'amazonEventBridge',
    amazonEventBridge,
    Array.from({ length: 25 }, () => first!),
  )
  assert.deepEqual(
    batches.map(({ eventIndexes }) => eventIndexes.length),
    [10, 10, 5],
  )
})
