import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatAnswer, formatFields, formatTable, formatValue } from './textTable.ts'

test('a list is formatted as a table with column names, without empty columns', () => {
  const rows = [
    { id: 'a', name: 'Shop', at: Date.UTC(2026, 10, 20), note: undefined },
    { id: 'bbb', name: 'Café', at: Date.UTC(2026, 10, 21) },
  ]
  assert.equal(
    formatTable(rows, ['id', 'name', 'at', 'note']),
    'id   name  at\na    Shop  2026-11-20T00:00:00.000Z\nbbb  Café  2026-11-21T00:00:00.000Z\n',
  )
})

test('a response that is a list is formatted as a table, and an empty list as None.', () => {
  const scripts = [{ scriptId: 'scr_1', name: 'a', secrets: { A: { isSet: true } } }]
  assert.equal(formatAnswer({ scripts, next: 'x' }), 'scriptId  name\nscr_1     a\n')
  assert.equal(formatAnswer({ scripts }, ['name']), 'name\na\n')
  assert.equal(formatAnswer({ scripts: [] }), 'None.\n')
})

test('a nested value is formatted as a line with its path', () => {
  const answer = { name: 'a', secrets: { KEY: { isSet: false } }, scopes: ['x', 'y'], rows: [{ n: 1 }, { n: 2 }] }
  const lines = ['name               a', 'secrets.KEY.isSet  false', 'scopes             x, y']
  const all = [...lines, 'rows.0.n           1', 'rows.1.n           2', '']
  assert.equal(formatFields(answer), all.join('\n'))
})

test('an empty response is formatted as Done., and the errors of a response are shown', () => {
  assert.equal(formatAnswer({}), 'Done.\n')
  assert.match(formatAnswer({ errors: ['the hook https://a.example objected'] }), /objected/)
})

test('control characters are removed from values', () => {
  assert.equal(formatValue('name', 'a\u001b[31mred\u0007'), 'a[31mred')
  assert.equal(formatTable([{ a: 'one\n  two' }], ['a']), 'a\none two\n')
})

test('a small number is no timestamp, whatever its name', () => {
  assert.equal(formatValue('at', 7), '7')
  for (const name of ['receivedAt', 'since', 'from', 'to'])
    assert.equal(formatValue(name, 1_795_000_000_000), '2026-11-18T11:06:40.000Z')
})
