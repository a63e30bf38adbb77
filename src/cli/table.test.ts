import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerText, listText, tableText, textOf } from './table.ts'

test('a list is a table under its column names, without the columns that no row fills', () => {
  const rows = [
    { id: 'a', name: 'Shop', at: Date.UTC(2026, 10, 20), note: undefined },
    { id: 'bbb', name: 'Café', at: Date.UTC(2026, 10, 21) },
  ]
  assert.equal(
    tableText(rows, ['id', 'name', 'at', 'note']),
    'id   name  at\na    Shop  2026-11-20T00:00:00.000Z\nbbb  Café  2026-11-21T00:00:00.000Z\n',
  )
})

test('an answer that is a list is shown as one, and an empty one says so', () => {
  const scripts = [{ scriptId: 'scr_1', name: 'a', secrets: { A: { isSet: true } } }]
  assert.equal(answerText({ scripts, next: 'x' }), 'scriptId  name\nscr_1     a\n')
  assert.equal(answerText({ scripts }, ['name']), 'name\na\n')
  assert.equal(answerText({ scripts: [] }), 'None.\n')
})

test('what is nested is shown by its path, a line each', () => {
  const answer = { name: 'a', secrets: { KEY: { isSet: false } }, scopes: ['x', 'y'], rows: [{ n: 1 }, { n: 2 }] }
  const lines = ['name               a', 'secrets.KEY.isSet  false', 'scopes             x, y']
  const all = [...lines, 'rows.0.n           1', 'rows.1.n           2', '']
  assert.equal(listText(answer), all.join('\n'))
})

test('an answer with nothing in it says that it is done; errors that came along are shown', () => {
  assert.equal(answerText({}), 'Done.\n')
  assert.match(answerText({ errors: ['the hook https://a.example objected'] }), /objected/)
})

test('text from elsewhere cannot steer the terminal', () => {
  assert.equal(textOf('name', 'a\u001b[31mred\u0007'), 'a[31mred')
  assert.equal(tableText([{ a: 'one\n  two' }], ['a']), 'a\none two\n')
})

test('a small number is no date, whatever it is called', () => {
  assert.equal(textOf('at', 7), '7')
  assert.equal(textOf('receivedAt', 1_795_000_000_000), '2026-11-18T11:06:40.000Z')
})
