import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findStrings, indexStrings, type TextSpan } from './stringSearch.ts'

const sorted = (spans: readonly TextSpan[]) => spans.map(({ from, to }) => `${from}-${to}`).sort()

/** The reference implementation: searches for each string with indexOf. */
function findNaively(text: string, strings: readonly string[]): TextSpan[] {
  const spans: TextSpan[] = []
  for (const string of new Set(strings.filter(({ length }) => length >= 4)))
    for (let from = text.indexOf(string); from >= 0; from = text.indexOf(string, from + 1))
      spans.push({ from, to: from + string.length })
  return spans
}

test('exactly the occurrences of the strings are found', () => {
  const word = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 9 }),
    fc.string({ maxLength: 12 }),
    fc.string({ unit: fc.constantFrom('a', '\u0161', 'é', 'İ', '\u{1f600}', '\ud800', '\uffff'), maxLength: 8 }),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), fc.array(word, { maxLength: 20 }), (strings, around) => {
      const text = around.flatMap((each, n) => [each, strings[n % (strings.length || 1)] ?? '']).join('')
      const spans = findStrings(text, indexStrings(strings))
      assert.ok(spans)
      assert.deepEqual(sorted(spans), sorted(findNaively(text, strings)))
    }),
  )
})

test('strings of fewer than four code units are not found', () => {
  assert.deepEqual(findStrings('abc abcd', indexStrings(['', 'a', 'abc'])), [])
})

test('the search gives up when each position would be compared with each string', () => {
  const strings = Array.from({ length: 2_000 }, (_, n) => 'a'.repeat(2_000 + n))
  assert.equal(findStrings('a'.repeat(100_000), indexStrings(strings)), undefined)
})

test('the search of an ordinary text does not give up, for any number of strings', () => {
  const names = ['Christian', 'Christine', 'Christa', 'Chris', 'Christoph']
  const strings = Array.from({ length: 10_000 }, (_, n) => `${names[n % names.length]} ${n}`)
  const text = strings.map((name, n) => (n % 10 === 0 ? `row ${n}: ${name} is not known; ` : 'all is well ')).join('')
  assert.ok((findStrings(text, indexStrings(strings))?.length ?? 0) >= 1_000)
})
