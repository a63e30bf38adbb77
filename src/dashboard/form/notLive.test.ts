import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countNotLive, hasLiveVersion, notLiveOf } from './notLive.ts'

const live = { notLive: [{ name: 'consentCategory', before: 'advertising', after: 'analytics' }] }

test('a channel of which a setting differs has a live version; one that was never deployed has none', () => {
  assert.equal(hasLiveVersion({}), true)
  assert.equal(hasLiveVersion(live), true)
  assert.equal(hasLiveVersion({ notLive: [{ name: 'name', before: 'Meta', after: 'Meta EU' }] }), true)
  assert.equal(hasLiveVersion({ notLive: [{ name: 'name', after: 'Meta' }] }), false)
})

test('a setting that is not live has its live value beside the saved one', () => {
  assert.deepEqual(notLiveOf(live, 'consentCategory'), live.notLive[0])
  assert.equal(notLiveOf(live, 'geoRegions'), undefined)
  assert.equal(notLiveOf({}, 'geoRegions'), undefined)
})

test('each setting of the tag and each channel counts once', () => {
  assert.equal(countNotLive({ settings: [{}, {}], scripts: [{}] }), 3)
})
