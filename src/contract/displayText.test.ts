import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../test/fake/anyCodePoint.ts'
import { isName, isolateDirection, nameIssue, terminalText } from './displayText.ts'
import { type Operation, operations } from './operations.ts'
import { type TObject, Type } from './schema.ts'
import { compileValidator } from './validator.ts'

const hostile = [
  '\0',
  '\u001b[31m',
  '\n',
  '\r',
  '\u2028',
  '\u009b2J',
  '\u202e',
  '\u2066',
  '\u200f',
  '\u200b',
  '\ufeff',
  '\u007f',
  ...['\u00ad', '\u034f', '\u115f', '\u180e', '\u2800', '\u3164', '\uffa0', '\ufff9', '\uffff'],
]

test('a name has a visible sign and no sign that moves, hides or turns what stands beside it', () => {
  for (const name of ['Shop', 'Café', 'متجر', '👩‍👧 shop', 'a b', ' a']) assert.ok(isName(name), name)
  for (const sign of hostile) for (const name of [`${sign}Shop`, `Sh${sign}op`, `Shop${sign}`]) assert.ok(!isName(name))
  for (const name of ['', ' ', '\u00a0', '\t']) assert.ok(!isName(name))
})

test('every operation refuses such a name, by one sentence', () => {
  const named = Object.entries<Operation>(operations).filter(
    ([, { body }]) => body && 'name' in ((body as TObject).properties ?? {}),
  )
  assert.ok(named.length >= 8, `${named.map(([id]) => id)}`)
  for (const [id, { body }] of named) {
    const validate = compileValidator(Type.Object({ name: (body as TObject).properties.name! }))
    for (const sign of hostile)
      assert.deepEqual(validate({ name: `Shop${sign}` }), [{ path: 'name', message: nameIssue }], id)
    assert.deepEqual(validate({ name: 'Shop' }), [], id)
  }
})

test('a terminal gets no sign of a text but tabs and ends of lines', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCodePoint }), fc.constantFrom(...hostile), (text, sign) => {
      const shown = terminalText(text + sign)
      assert.ok(shown.split(/[\t\n]/).every((part) => part === '' || isName(`a${part}`)))
    }),
  )
})

test('a terminal gets no letters that cannot be seen', () => {
  assert.equal(terminalText('Shop\u{e0041}\u{e0042}\u3164 one'), 'Shop one')
})

test('a text of right-to-left letters is kept apart from those beside it', () => {
  assert.equal(isolateDirection('Shop'), 'Shop')
  assert.equal(isolateDirection('متجر 7'), '\u2068متجر 7\u2069')
})
