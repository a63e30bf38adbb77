import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildBatches } from '#provider/engine/buildBatches.ts'
import { exampleInput, exampleNow } from '#provider/engine/exampleRequests.ts'
import { judge } from '#provider/engine/judgement.ts'
import { judgePartialFailures } from '#provider/engine/partialFailures.ts'
import amazonAds from './amazonAds.ts'
import { examplesOf } from './examples/all.ts'

test('Amazon Ads: of a batch only the events that a 207 lists are refused', () => {
  const purchases = examplesOf('amazonAds').filter(({ title }) => /^(PageView|Search|Lead) with/.test(title))
  const { batches } = buildBatches('amazonAds', amazonAds, purchases.map(exampleInput))
  assert.equal(batches.length, 1)
  const body = { success: [{ index: 0 }, { index: 2 }], error: [{ index: 1, errors: [{ message: 'Bad country.' }] }] }
  const result = { status: 207, headers: {}, body: JSON.stringify(body), durationMs: 1 }
  const left = judgePartialFailures(amazonAds, batches[0]!, result, judge(amazonAds, result, exampleNow))
  const refused = { verdict: 'refused', reason: 'payloadRefused', message: 'HTTP 207: Bad country.' }
  assert.deepEqual([...left], [[1, refused]])
})
