import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeSecretTexts, codeValuesOf } from '#provider/engine/codeSecrets.ts'
import { codeValues } from './customerCode.ts'

const of = { source: 'CODE', values: 'VALUES' }

test('values are refused where they are no JSON object', () => {
  const { check: checkValues } = codeValues('What they are.')
  assert.equal(checkValues('{"A": "b"}'), undefined)
  for (const bad of ['[]', '"a"', '1', 'null', '{', 'A=b']) assert.match(checkValues(bad)!, /JSON object/)
})

test('values are what the object holds, and none where nothing is set', () => {
  assert.deepEqual(codeValuesOf(of, { VALUES: '{"A":"b","n":{"m":1}}' }), { A: 'b', n: { m: 1 } })
  for (const VALUES of ['', undefined, 'broken']) assert.deepEqual(codeValuesOf(of, { VALUES }), {})
})

test('hidden are all plaintexts but the source, and every text inside the values, however deep', () => {
  const secrets = { CODE: 'the source', TOKEN: 't0ken', VALUES: '{"A":"b","n":{"m":["deep"]}}', UNSET: '' }
  assert.deepEqual(codeSecretTexts(of, secrets), ['t0ken', secrets.VALUES, 'b', 'deep'])
})
