import assert from 'node:assert/strict'
import { test } from 'node:test'
import { badRequest } from './fault.ts'
import { asSentence, issueSentence } from './issueSentence.ts'

test('a 400 says what is wrong in its message, and names the first three issues of many', () => {
  const issue = (n: number) => ({ path: `field${n}`, message: 'is required' })
  assert.equal(badRequest(issue(1)).message, 'field1: is required.')
  assert.equal(badRequest({ path: '', message: 'The code does not parse.' }).message, 'The code does not parse.')
  const many = [1, 2, 3, 4, 5].map(issue)
  assert.equal(
    badRequest(...many).message,
    'field1: is required; field2: is required; field3: is required; and 2 more.',
  )
  const long = badRequest({ path: 'x'.repeat(5_000), message: 'is not a known field' }, ...many)
  assert.ok(long.message.length < 300)
})

test('a text that ends with a question has no full stop after it', () => {
  assert.equal(
    asSentence('tgas is not a known field: did you mean tags?'),
    'tgas is not a known field: did you mean tags?',
  )
  assert.equal(issueSentence([{ path: 'tgas', message: 'did you mean tags?' }]), 'tgas: did you mean tags?')
  assert.equal(asSentence('must be a number'), 'must be a number.')
})
