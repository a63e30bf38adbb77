import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCdnLocation } from './cdnHeaders.ts'

test('country and subdivision are read from the headers of the given CDN', () => {
  const cloudflare = { 'cf-ipcountry': 'US', 'cf-region-code': 'CA' }
  const cloudfront = { 'cloudfront-viewer-country': 'DE', 'cloudfront-viewer-country-region': 'BY' }
  assert.deepEqual(readCdnLocation(cloudflare, 'cloudflare'), { country: 'US', region: 'US-CA' })
  assert.deepEqual(readCdnLocation(cloudfront, 'cloudfront'), { country: 'DE', region: 'DE-BY' })
  assert.equal(readCdnLocation(cloudflare, 'cloudfront'), undefined)
  assert.equal(readCdnLocation(cloudfront, 'cloudflare'), undefined)
})

test('an unknown subdivision is ignored, and an unknown country makes the location undefined', () => {
  for (const region of ['', 'ZZ', 'US-CA', '../CA'])
    assert.deepEqual(readCdnLocation({ 'cf-ipcountry': 'US', 'cf-region-code': region }, 'cloudflare'), {
      country: 'US',
    })
  for (const country of ['XX', 'T1', 'EU', '', 'us', 'US, DE', '__proto__'])
    assert.equal(readCdnLocation({ 'cf-ipcountry': country }, 'cloudflare'), undefined, country)
})
