import assert from 'node:assert/strict'
import { test } from 'node:test'
import { identityOf, resolve } from '#provider/engine/identity.ts'
import type { RawPerson } from './person.ts'
import { hashed, plain, plainFields } from './userRule.ts'

const rules = { customer: plain('customerId'), match: plain('anyStableId'), visitor: plain('anonymousId') }
const idsOf = (person: RawPerson) => resolve(rules, identityOf(person))

test('the id of a visitor is never the id of a customer', () => {
  assert.deepEqual(idsOf({ userId: 'usr_1', email: 'a@b.example' }), { match: 'usr_1', visitor: 'usr_1' })
})

test('the shop’s own id is the id of the customer, and the better match', () => {
  assert.deepEqual(idsOf({ userId: 'usr_1', customerId: '4711' }), {
    customer: '4711',
    match: '4711',
    visitor: 'usr_1',
  })
  assert.deepEqual(idsOf({ customerId: '4711' }), { customer: '4711', match: '4711' })
})

test('what is no customer id is none to a vendor, also hashed', () => {
  for (const customerId of ['null', '0', '[object Object]', 'a\0b', 'x'.repeat(1_000_000)]) {
    assert.deepEqual(idsOf({ userId: 'usr_1', customerId }), { match: 'usr_1', visitor: 'usr_1' })
    assert.deepEqual(resolve({ id: hashed('customerId') }, identityOf({ customerId })), {})
  }
})

test('upper and lower case of a customer id stay', () => {
  assert.equal(hashed('customerId'), hashed('customerId', plain('customerId').normalise))
  assert.equal(idsOf({ customerId: 'Ada-42' }).customer, 'Ada-42')
})

test('to a customer’s own system `userId` is the visitor and `customerId` the shop’s id', () => {
  const user = resolve(plainFields, identityOf({ userId: 'usr_1', customerId: '4711' }))
  assert.deepEqual(user, { userId: 'usr_1', customerId: '4711' })
})
