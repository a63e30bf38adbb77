import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { ada } from './exampleData.ts'
import { unusedKeysOf } from './unusedKeys.ts'

test('a person whose values are all valid has no unused key, also where they are hashed', () => {
  assert.deepEqual(unusedKeysOf(ada), [])
  const email = createHash('sha256').update('ada@example.com').digest('hex')
  assert.deepEqual(unusedKeysOf({ email, phone: email, firstName: 'Ada' }), [])
})

test('a key that no vendor gets is named, with the reason', () => {
  const person = {
    email: 'not an address',
    phone: '0171 1234567',
    firstName: 'null',
    lastName: createHash('sha256').update('').digest('hex'),
    dateOfBirth: '10.12.1990',
    zip: '1010',
  }
  assert.deepEqual(unusedKeysOf(person), [
    { key: 'email', reason: 'invalid' },
    { key: 'phone', reason: 'countryUnknown' },
    { key: 'firstName', reason: 'missing' },
    { key: 'lastName', reason: 'missing' },
    { key: 'dateOfBirth', reason: 'invalid' },
  ])
  assert.deepEqual(
    unusedKeysOf({ ...person, country: 'DE' }).filter(({ key }) => key === 'phone' || key === 'zip'),
    [{ key: 'zip', reason: 'invalid' }],
  )
  assert.deepEqual(unusedKeysOf({ customerId: '[object Object]' }), [{ key: 'customerId', reason: 'missing' }])
  assert.deepEqual(unusedKeysOf({ customerId: 'd'.repeat(64) }), [])
  assert.deepEqual(unusedKeysOf({ phone: '+1711234567', country: 'Atlantis' }), [
    { key: 'phone', reason: 'invalid' },
    { key: 'country', reason: 'invalid' },
  ])
})
