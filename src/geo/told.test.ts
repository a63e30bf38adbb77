import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeInHeaders } from './told.ts'

test('each CDN tells country and subdivision in headers of its own', () => {
  const cloudflare = { 'cf-ipcountry': 'US', 'cf-region-code': 'CA' }
  const cloudfront = { 'cloudfront-viewer-country': 'DE', 'cloudfront-viewer-country-region': 'BY' }
  assert.deepEqual(placeInHeaders(cloudflare, 'cloudflare'), { country: 'US', region: 'US-CA' })
  assert.deepEqual(placeInHeaders(cloudfront, 'cloudfront'), { country: 'DE', region: 'DE-BY' })
  assert.equal(placeInHeaders(cloudflare, 'cloudfront'), undefined)
  assert.equal(placeInHeaders(cloudfront, 'cloudflare'), undefined)
})

test('a subdivision that nobody knows leaves the country, and what is no country is no place', () => {
  for (const region of ['', 'ZZ', 'US-CA', '../CA'])
    assert.deepEqual(placeInHeaders({ 'cf-ipcountry': 'US', 'cf-region-code': region }, 'cloudflare'), {
      country: 'US',
    })
  for (const country of ['XX', 'T1', 'EU', '', 'us', 'US, DE', '__proto__'])
    assert.equal(placeInHeaders({ 'cf-ipcountry': country }, 'cloudflare'), undefined, country)
})
