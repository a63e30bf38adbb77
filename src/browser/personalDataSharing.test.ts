import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maySharePersonalData } from './personalDataSharing.ts'

test('a pixel gets no events of a visitor who refuses to share personal data', () => {
  for (const given of [
    undefined,
    {},
    { consent: { all: true } },
    { consentCategories: { all: false, share_pii: true } },
  ])
    assert.ok(maySharePersonalData(given))
  assert.ok(!maySharePersonalData({ consentCategories: { all: true, share_pii: false } }))
})
