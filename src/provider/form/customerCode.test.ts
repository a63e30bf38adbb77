import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeSecretTexts, codeValuesOf } from '#provider/engine/codeSecrets.ts'
import { codeValues, codeVariable } from './customerCode.ts'

const of = { source: 'CODE', values: 'VALUES' }

test('code is refused by line and column where it does not parse, and values where they are no JSON object', () => {
  const { check } = codeVariable('process', 'What it is.', '')
  assert.equal(check?.('async process() { return 1 }'), undefined)
  assert.equal(check?.('async process() {\n  const = 1 }'), 'The code does not parse: line 2, column 9.')
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
