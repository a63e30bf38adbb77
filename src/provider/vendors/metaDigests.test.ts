import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { identityOf, resolve } from '#provider/engine/identity.ts'
import { ada } from '#provider/form/exampleData.ts'
import { metaDigests } from './metaDigests.ts'

test('a person is hashed in the form that Meta’s page shows for each field', () => {
  const forms = {
    em: 'ada.lovelace@gmail.com',
    ph: '491701234567',
    fn: 'ada',
    ln: 'lovelace',
    ge: 'f',
    db: '19901210',
    ct: 'london',
    st: 'england',
    zp: 'w1a1aa',
    country: 'gb',
    external_id: 'customer-1',
  }
  const digests = Object.entries(forms).map(([field, text]) => [field, hash('sha256', text)])
  assert.deepEqual(resolve(metaDigests, identityOf(ada)), Object.fromEntries(digests))
})
