import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomerCode } from '#provider/form/customerCode.ts'
import { missingCodeSecrets } from './codeSecrets.ts'

const code: CustomerCode = {
  ...{ source: 'CODE', values: 'SECRETS', token: 'TOKEN' },
  ...{ functionName: 'onRequest', argument: 'request' },
}

test('the secrets that the code requires and that are absent, empty or not texts are missing', () => {
  const names = ['KEY', 'ABSENT', 'EMPTY', 'COUNT', 'TOKEN', 'toString']
  const source = names.map((name) => `requireSecret('${name}')`).join('\n')
  const values = JSON.stringify({ KEY: 'k', EMPTY: '', COUNT: 1 })
  assert.deepEqual(missingCodeSecrets(code, { CODE: source, SECRETS: values, TOKEN: 't' }), [
    'ABSENT',
    'EMPTY',
    'COUNT',
    'toString',
  ])
  assert.deepEqual(missingCodeSecrets(code, { CODE: source }), names)
  assert.deepEqual(missingCodeSecrets(code, {}), [])
})
