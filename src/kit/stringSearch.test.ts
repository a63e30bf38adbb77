import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findStrings, indexStrings, type TextSpan } from './stringSearch.ts'

const inOrder = (spans: readonly TextSpan[]) => spans.map(({ from, to }) => `${from}-${to}`).sort()

/** By looking for each string at each place. */
function foundSimply(text: string, strings: readonly string[]): TextSpan[] {
  const spans: TextSpan[] = []
  for (const string of new Set(strings.filter(({ length }) => length >= 4)))
    for (let from = text.indexOf(string); from >= 0; from = text.indexOf(string, from + 1))
      spans.push({ from, to: from + string.length })
  return spans
}

test('every string is found wherever it stands, and nothing else', () => {
  const word = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 9 }),
    fc.string({ maxLength: 12 }),
    fc.string({ unit: fc.constantFrom('a', 'é', 'İ', '\u{1f600}', '\ud800', '\uffff'), maxLength: 8 }),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), fc.array(word, { maxLength: 20 }), (strings, around) => {
      const text = around.flatMap((each, n) => [each, strings[n % (strings.length || 1)] ?? '']).join('')
      const spans = findStrings(text, indexStrings(strings))
      assert.ok(spans)
      assert.deepEqual(inOrder(spans), inOrder(foundSimply(text, strings)))
    }),
  )
})

test('strings of fewer than four units are not looked for', () => {
  assert.deepEqual(findStrings('abc abcd', indexStrings(['', 'a', 'abc'])), [])
})

test('text and strings that were made so alike that each place is compared with each string are given up', () => {
  const strings = Array.from({ length: 2_000 }, (_, n) => 'a'.repeat(2_000 + n))
  assert.equal(findStrings('a'.repeat(100_000), indexStrings(strings)), undefined)
})

test('an ordinary text is not given up, however many strings there are', () => {
  const names = ['Christian', 'Christine', 'Christa', 'Chris', 'Christoph']
  const strings = Array.from({ length: 10_000 }, (_, n) => `${names[n % names.length]} ${n}`)
  const text = strings.map((name, n) => (n % 10 === 0 ? `row ${n}: ${name} is not known; ` : 'all is well ')).join('')
  assert.ok((findStrings(text, indexStrings(strings))?.length ?? 0) >= 1_000)
})
