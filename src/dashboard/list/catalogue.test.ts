import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providerIds } from '#contract/providerIds.ts'
import { providers } from '#providers/index.ts'
import { catalogue, monogramOf, providerFit, providerKinds } from './catalogue.ts'

const rows = providerIds.flatMap((value) => (providers[value] ? [{ value, label: providers[value].label }] : []))
const firstOf = (query: string) => catalogue(rows, query)[0]?.providers[0]?.value
const allOf = (query: string) => catalogue(rows, query).flatMap(({ providers: own }) => own.map(({ value }) => value))

test('every provider stands in exactly one kind of the catalogue', () => {
  assert.deepEqual(allOf('').toSorted(), rows.map(({ value }) => value).toSorted())
  assert.deepEqual(
    catalogue(rows, '').map(({ kind }) => kind),
    [...providerKinds],
  )
  const own = catalogue(rows, '').find(({ kind }) => kind === 'own')!
  assert.deepEqual(own.providers.map(({ value }) => value).toSorted(), [
    'autoFormFill',
    'playground',
    'validation',
    'webhook',
  ])
})

test('a provider has two letters of its name for a mark', () => {
  const marks = ['Meta', 'Google Analytics 4', 'X (Twitter)', 'impact.com', 'n'].map(monogramOf)
  assert.deepEqual(marks, ['Me', 'GA', 'XT', 'Ic', 'N'])
  for (const { label } of rows) assert.match(monogramOf(label), /^[\p{L}\p{N}]{2}$/u, label)
})

test('a provider is found by what people call it', () => {
  assert.equal(firstOf('ga4'), 'googleAnalytics4')
  assert.equal(firstOf('meta'), 'facebook')
  assert.equal(firstOf('x ads'), 'twitter')
  assert.ok(allOf('conversions api').includes('facebook'))
  for (const id of ['klaviyo', 'mailchimp', 'braze'] as const) assert.ok(allOf('email').includes(id), id)
  assert.deepEqual(allOf('no such vendor'), [])
})

test('a name goes before a synonym, and that before the words of a kind', () => {
  const fit = (value: string, query: string) => providerFit({ value, label: value }, query)
  assert.ok(fit('webhook', 'webhook') > fit('eventSink', 'webhook out'))
  assert.ok(fit('facebook', 'conversions api') > fit('quora', 'conversions api'))
  assert.ok(fit('quora', 'conversions api') > 0)
})
