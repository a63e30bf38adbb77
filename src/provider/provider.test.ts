import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mirror } from './provider.fixture.ts'
import { list, lists, ownNames, provider, some } from './provider.ts'

test('what is not there makes no list and no object', () => {
  assert.deepEqual([list('a'), list(undefined)], [['a'], undefined])
  assert.deepEqual(lists({ a: 'x', b: undefined }), { a: ['x'] })
  assert.deepEqual([some({ a: 1, b: undefined }), some({ a: undefined })], [{ a: 1, b: undefined }, undefined])
})

test('a variable without a link of its own has the one by which the vendor says how to begin', () => {
  const links = { onboarding: 'https://vendor.example/begin' }
  const secrets = { A: { label: 'A', type: 'TEXT' }, B: { label: 'B', type: 'TEXT', helpLink: 'https://b.example' } }
  const form = provider({ ...mirror, links, secrets } as Parameters<typeof provider>[0])
  assert.deepEqual([form.secrets.A?.helpLink, form.secrets.B?.helpLink], [links.onboarding, 'https://b.example'])
})

test('every standard event has its own name, and a refund is none of them', () => {
  assert.equal(ownNames.Purchase, 'Purchase')
  assert.ok(!('Refund' in ownNames))
})
