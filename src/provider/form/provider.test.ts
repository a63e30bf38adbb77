import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mirror } from '#provider/engine/mirror.fixture.ts'
import { asList, asLists, unlessEmpty } from './optionalValues.ts'
import { provider } from './provider.ts'
import { standardEventNames } from './standardEventNames.ts'

test('what is not there makes no list and no object', () => {
  assert.deepEqual([asList('a'), asList(undefined)], [['a'], undefined])
  assert.deepEqual(asLists({ a: 'x', b: undefined }), { a: ['x'] })
  assert.deepEqual(
    [unlessEmpty({ a: 1, b: undefined }), unlessEmpty({ a: undefined })],
    [{ a: 1, b: undefined }, undefined],
  )
})

test('a variable without a link of its own has the one by which the vendor says how to begin', () => {
  const links = { onboarding: 'https://vendor.example/begin' }
  const secrets = { A: { label: 'A', type: 'TEXT' }, B: { label: 'B', type: 'TEXT', helpLink: 'https://b.example' } }
  const form = provider({ ...mirror, links, secrets } as Parameters<typeof provider>[0])
  assert.deepEqual([form.secrets.A?.helpLink, form.secrets.B?.helpLink], [links.onboarding, 'https://b.example'])
})

test('every standard event has its own name, and a refund is none of them', () => {
  assert.equal(standardEventNames.Purchase, 'Purchase')
  assert.ok(!('Refund' in standardEventNames))
})
