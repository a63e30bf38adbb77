import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allOfIt, allows, mayRun } from './consent.ts'

test('while nobody was asked it is neither yes nor no', () => {
  assert.deepEqual(
    [mayRun(undefined, 'facebook', 'advertising'), mayRun({}, 'facebook', 'advertising')],
    [undefined, undefined],
  )
})

test('who is not named follows all, and without all is refused', () => {
  const asked = [
    { all: true },
    { all: true, facebook: false },
    { facebook: true },
    { all: false },
    {},
    { tiktok: true },
  ]
  assert.deepEqual(
    asked.map((consent) => mayRun({ consent }, 'facebook', 'advertising')),
    [true, false, true, false, false, false],
  )
})

test('a provider of which one script is allowed has its part in the page', () => {
  assert.equal(mayRun({ consent: { klaviyo: { main: false, other: true } } }, 'klaviyo', 'advertising'), true)
  assert.equal(mayRun({ consent: { all: true, klaviyo: { main: false } } }, 'klaviyo', 'advertising'), false)
})

test('provider and category must both be allowed; what is necessary needs no category', () => {
  const given = { consent: { all: true }, consentCategories: { analytics: true } }
  assert.equal(mayRun(given, 'acme', 'analytics'), true)
  assert.equal(mayRun(given, 'acme', 'advertising'), false)
  assert.equal(mayRun(given, 'acme', 'necessary'), true)
  assert.equal(mayRun({ consentCategories: { all: true } }, 'acme', 'advertising'), true)
  assert.equal(mayRun(allOfIt, 'acme', 'advertising'), true)
})

test('a selection of providers may be a list', () => {
  assert.deepEqual(
    [allows(['facebook'], 'facebook'), allows(['all'], 'facebook'), allows(['tiktok'], 'facebook')],
    [true, true, false],
  )
  assert.equal(allows(undefined, 'facebook'), true)
})
