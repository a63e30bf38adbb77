import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressCheck, checkbox, eventPairs, listed, optional, password } from './variables.ts'

test('a variable is its label, what it is, and what else is said of it', () => {
  assert.deepEqual(password('Key', 'Where it is.', optional), {
    label: 'Key',
    type: 'PASSWORD',
    description: 'Where it is.',
    optional: true,
  })
  assert.equal(checkbox('On', 'What it does.').type, 'CHECKBOX')
  const pairs = eventPairs('the id in the list', '42', optional)
  assert.deepEqual(
    [pairs.optional, pairs.placeholder, pairs.check('no')],
    [true, '[["Purchase", "42"]]', pairs.check('[')],
  )
})

test('an address is a whole one', () => {
  for (const text of ['https://a.example', 'http://a.example/x?y']) assert.equal(addressCheck(text), undefined)
  for (const text of ['', 'a.example', 'ftp://a.example', 'javascript:x'])
    assert.match(addressCheck(text)!, /full address/)
})

test('a list divided by commas has no empty members', () => {
  assert.deepEqual(listed(' a, b ,,c '), ['a', 'b', 'c'])
  assert.deepEqual(listed(undefined), [])
})
