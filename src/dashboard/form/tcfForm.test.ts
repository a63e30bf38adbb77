import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { TcfSettings } from '#contract/tcfSettings.ts'
import { switchPurpose, tcfChoiceOf, tcfInterestIds, tcfPurposeIds, tcfSettingsOf, tcfText } from './tcfForm.ts'

const textOf = (settings?: TcfSettings) => tcfText(tcfChoiceOf(settings))

test('the form of TC strings shows the defaults, and saves only what differs from them', () => {
  const shown = textOf()
  assert.equal(
    shown,
    'advertising: 1, 3, 4, 7\nanalytics: 1, 8, 9\nfunctional: 1, 5, 6\ninterest: 7, 8, 9, 10\nvendor: required\ndays: 390',
  )
  assert.deepEqual(tcfSettingsOf(shown), {})
  const more = switchPurpose(shown, { list: 'advertising', id: 2, isOn: true })
  assert.deepEqual(tcfSettingsOf(more), { purposes: { advertising: [1, 2, 3, 4, 7] } })
  assert.equal(switchPurpose(more, { list: 'advertising', id: 2, isOn: false }), shown)
  const choice = { ...tcfChoiceOf(), requireVendor: false, maxAgeDays: ' 180 ' }
  assert.deepEqual(tcfSettingsOf(tcfText(choice)), { requireVendor: false, maxAgeDays: 180 })
  assert.ok(Number.isNaN(tcfSettingsOf(tcfText({ ...choice, maxAgeDays: 'a year' })).maxAgeDays))
  assert.deepEqual(tcfSettingsOf(textOf({ purposes: { functional: [] } })), { purposes: { functional: [] } })
})

test('the form of TC strings keeps every setting that it shows', () => {
  const ids = (of: readonly number[]) => fc.subarray([...of])
  const settings = fc.record({
    purposes: fc.record({ advertising: ids(tcfPurposeIds), analytics: ids(tcfPurposeIds) }),
    allowLegitimateInterest: ids(tcfInterestIds),
    requireVendor: fc.boolean(),
    maxAgeDays: fc.integer({ min: 1, max: 1_000 }),
  })
  fc.assert(fc.property(settings, (each) => assert.equal(textOf(tcfSettingsOf(textOf(each))), textOf(each))))
})
