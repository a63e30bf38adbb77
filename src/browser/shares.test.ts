import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shares } from './shares.ts'

test('a pixel is told of who does not refuse to share what names them', () => {
  for (const given of [
    undefined,
    {},
    { consent: { all: true } },
    { consentCategories: { all: false, share_pii: true } },
  ])
    assert.ok(shares(given))
  assert.ok(!shares({ consentCategories: { all: true, share_pii: false } }))
})
