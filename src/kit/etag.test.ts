import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchesEtag } from './etag.ts'

test('an entity tag matches in a list, with W/ before it, and any tag matches *', () => {
  for (const header of ['"a"', 'W/"a"', '"b", "a"', '"b",W/"a" ', '*']) assert.ok(matchesEtag('"a"', header), header)
})

test('an entity tag matches neither another one, nor a part of one, nor an absent header', () => {
  for (const header of ['"b"', '"aa"', 'a', '', undefined]) assert.ok(!matchesEtag('"a"', header), header)
})
