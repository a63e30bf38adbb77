import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProviderRow } from './channelForm.ts'
import { keyFields } from './keyFields.ts'

const field = (variable: string, sensitive: boolean) =>
  ({ variable, type: 'PASSWORD', sensitive, inputType: 'text' }) as const
const provider: ProviderRow = {
  value: 'facebook',
  secrets: [field('PIXEL', false), field('TOKEN', true), field('OTHER', true)],
}
const names = (of: string, set: readonly string[]) =>
  keyFields(provider, { secrets: Object.fromEntries(set.map((name) => [name, { isSet: true }])) }, of).map(
    ({ variable }) => variable,
  )

test('the replacement of a key asks for the secrets that are set, and for no setting', () => {
  assert.deepEqual(names('key', ['PIXEL', 'TOKEN']), ['TOKEN'])
})

test('a named variable is asked for alone, set or not', () => {
  assert.deepEqual(names('OTHER', ['PIXEL', 'TOKEN']), ['OTHER'])
})

test('a provider without secrets is asked for what is set', () => {
  assert.deepEqual(names('key', ['PIXEL']), ['PIXEL'])
})
