import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clickInParam, clickParamCheck } from './clickParam.ts'

const event = { eventName: 'Lead', eventId: 'evt-1', timestamp: 1, pageUrl: 'https://shop.example/?cid=of+page' }
const seen = { captured: { cid: { value: 'captured', at: 1 } }, event }

test('the captured click id goes before that of the page', () => {
  assert.equal(clickInParam(seen, 'cid'), 'captured')
  assert.equal(clickInParam({ ...seen, captured: {} }, 'cid'), 'of page')
})

test('a parameter that is nowhere has no click id, whatever its name', () => {
  for (const name of ['other', 'constructor', '__proto__'])
    assert.equal(clickInParam({ ...seen, captured: {} }, name), undefined)
})

test('the name of a parameter is a plain word', () => {
  assert.equal(clickParamCheck('tblci'), undefined)
  for (const name of ['', '?tblci', 'a b', 'a&b', 'x'.repeat(101)]) assert.ok(clickParamCheck(name))
})
