import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allows, fullConsent, mayRunInPage } from './consent.ts'

test('without a consent, whether a provider may run is undefined', () => {
  assert.deepEqual(
    [mayRunInPage(undefined, 'facebook', 'advertising'), mayRunInPage({}, 'facebook', 'advertising')],
    [undefined, undefined],
  )
})

test('a provider that is not named follows all, and is refused without all', () => {
  const cases = [
    { all: true },
    { all: true, facebook: false },
    { facebook: true },
    { all: false },
    {},
    { tiktok: true },
  ]
  assert.deepEqual(
    cases.map((consent) => mayRunInPage({ consent }, 'facebook', 'advertising')),
    [true, false, true, false, false, false],
  )
})

test('a provider with one allowed script may run in the page', () => {
  assert.equal(mayRunInPage({ consent: { klaviyo: { main: false, other: true } } }, 'klaviyo', 'advertising'), true)
  assert.equal(mayRunInPage({ consent: { all: true, klaviyo: { main: false } } }, 'klaviyo', 'advertising'), false)
})

test('provider and category must both be allowed, except for the category necessary', () => {
  const given = { consent: { all: true }, consentCategories: { analytics: true } }
  assert.equal(mayRunInPage(given, 'acme', 'analytics'), true)
  assert.equal(mayRunInPage(given, 'acme', 'advertising'), false)
  assert.equal(mayRunInPage(given, 'acme', 'necessary'), true)
  assert.equal(mayRunInPage({ consentCategories: { all: true } }, 'acme', 'advertising'), true)
  assert.equal(mayRunInPage(fullConsent, 'acme', 'advertising'), true)
})

test('a selection of providers may be a list', () => {
  assert.deepEqual(
    [allows(['facebook'], 'facebook'), allows(['all'], 'facebook'), allows(['tiktok'], 'facebook')],
    [true, true, false],
  )
  assert.equal(allows(undefined, 'facebook'), true)
})
