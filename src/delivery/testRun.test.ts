import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noCaptureRules } from '#user/captureRules.ts'
import { openDeliveryHarness } from '../../test/fake/deliveryHarness.ts'
import { anEvent, aScript, aTag } from '../../test/fake/tag.ts'
import { openTestRun } from './testRun.ts'

test('a test event has one outcome for each script, and is only sent if the test asks for it', async () => {
  const tag = aTag([aScript('scr_1'), aScript('scr_2', { providerId: 'facebook' })])
  const harness = await openDeliveryHarness(tag)
  const runTest = openTestRun({ ...harness.deliveryDeps(), captures: () => noCaptureRules })
  const run = async (send: boolean, scriptIds?: ReadonlySet<string>) => {
    const event = anEvent(harness.clock.now())
    const { outcomes } = await runTest({
      ...{ tag, event, send, plaintexts: async () => ({}) },
      ...(scriptIds && { scriptIds }),
    })
    return outcomes.map(({ status }) => status)
  }
  assert.deepEqual(await run(false), ['simulated', 'simulated'])
  assert.deepEqual(harness.sent, [])
  assert.deepEqual(await run(true, new Set(['scr_2'])), ['delivered'])
  assert.deepEqual(
    harness.sent.map(({ to }) => to),
    ['facebook.example'],
  )
})
