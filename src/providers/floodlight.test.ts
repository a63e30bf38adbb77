import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildBatches } from '#provider/engine/buildBatches.ts'
import { exampleInput, exampleNow } from '#provider/engine/exampleRequests.ts'
import { judge } from '#provider/engine/judgement.ts'
import { judgePartialFailures } from '#provider/engine/partialFailures.ts'
import { examplesOf } from './examples/all.ts'
import floodlight from './floodlight.ts'

test('Floodlight: of a batch an internal error is tried again, any other one is refused', () => {
  const given = examplesOf('floodlight').filter(({ title }) => /^(PageView|Search|Lead) with/.test(title))
  const { batches } = buildBatches('floodlight', floodlight, given.map(exampleInput))
  assert.equal(batches.length, 1)
  const failed = (code: string) => ({ errors: [{ code, message: code }] })
  const body = { hasFailures: true, status: [failed('NOT_FOUND'), {}, failed('INTERNAL')] }
  const result = { status: 200, headers: {}, body: JSON.stringify(body), durationMs: 1 }
  const left = judgePartialFailures(floodlight, batches[0]!, result, judge(floodlight, result, exampleNow))
  assert.deepEqual(
    [...left],
    [
      [0, { verdict: 'refused', reason: 'payloadRefused', message: 'HTTP 200: NOT_FOUND' }],
      [2, { verdict: 'retry', reason: 'vendorDown', message: 'HTTP 200: INTERNAL' }],
    ],
  )
})
