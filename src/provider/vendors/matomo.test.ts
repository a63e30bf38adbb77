import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { RequestContext } from '#provider/form/request.ts'
import { derivedVisitorId, hitQuery, orderAmounts, visitorId } from './matomo.ts'

const cookies = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value, at: 0 }]))

test('the visitor is that of the cookie of the site, else one that is derived from the user', () => {
  const captured = cookies({
    '_pk_id.12.1fff': '1111111111111111.1700000000.',
    '_pk_id.1.1fff': '257cc22df0ec483a.1700000000.',
  })
  assert.equal(visitorId(captured, '1', 'd'), '257cc22df0ec483a')
  assert.equal(visitorId(captured, '2', undefined), undefined)
  for (const value of ['', 'x', '257cc22df0ec483', '257cc22df0ec483a1.1'])
    assert.equal(visitorId(cookies({ '_pk_id.1.1fff': value }), '1', 'd'), 'd', value)
  assert.match(derivedVisitorId('usr_1', {})!, /^[0-9a-f]{16}$/)
  assert.equal(derivedVisitorId('usr_1', {}), derivedVisitorId('usr_1', {}))
  assert.notEqual(derivedVisitorId('usr_1', {}), derivedVisitorId('usr_2', {}))
})

test('the query of a hit reads back as it was, without a plus and without what is not known', () => {
  const params = fc.dictionary(fc.string(), fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant(undefined)))
  const property = fc.property(params, (given) => {
    const query = hitQuery(given)
    assert.doesNotMatch(query, /\+/)
    const known = Object.entries(given).filter(([, value]) => value !== undefined)
    assert.deepEqual([...new URLSearchParams(query)], known)
  })
  fc.assert(property)
  assert.equal(hitQuery({ a: '\ud800' }), '?a=%EF%BF%BD')
})

test('the subtotal of an order is known where the price of each item is', () => {
  const of = (items: object[]) => orderAmounts({ data: {}, items } as unknown as RequestContext).ec_st
  assert.equal(of([{ item_price: 0.1, quantity: 3 }, { item_price: 1 }]), 1.3)
  assert.equal(of([{ item_price: 1 }, { id: 'a' }]), undefined)
  assert.equal(of([]), undefined)
})
