import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../test/fake/anyCodePoint.ts'
import { csvLine } from './exports.ts'

/** The cells of one line, parsed by RFC 4180. */
function readLine(line: string): string[] {
  const cells = [...`,${line.slice(0, -2)}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",]*))/g)]
  return cells.map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain!)
}

test('any text is one cell of one line, and is read back as it was or behind a quote mark', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: anyCodePoint }), { minLength: 1, maxLength: 5 }), (values) => {
      const cells = readLine(csvLine(values))
      assert.equal(cells.length, values.length)
      for (const [n, cell] of cells.entries()) assert.equal(cell.replaceAll("'", ''), values[n]!.replaceAll("'", ''))
    }),
  )
})

test('no part of a text begins as a formula, wherever a spreadsheet splits it', () => {
  const part = fc.constantFrom(
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '＝1',
    ...['﹢1', '﹣1', '﹦1', '﹫1', '−1', '\u3000=1', '\u2003=1', '\f=1', '\ufeff=1'],
    '＋1',
    '－1',
    '＠A',
    ' =1',
    '\u00a0=1',
    'a',
    '',
    '"',
    "'",
  )
  const separator = fc.constantFrom(';', '\t', '\n', '\r', '\r\n', ',', ' ')
  fc.assert(
    fc.property(fc.array(fc.tuple(part, separator), { maxLength: 6 }), (parts) => {
      const [cell] = readLine(csvLine([parts.flat().join('')]))
      for (const each of cell!.split(/[;\t\r\n]/)) assert.doesNotMatch(each, /^\s*[=+\-@＝＋－＠﹢﹣﹦﹫−]/)
    }),
  )
})

test('no cell of a text begins as a formula, also where it is quoted', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '=HYPERLINK("http://x","y")', '-2,"a"'])
    assert.equal(readLine(csvLine([text]))[0], `'${text}`)
  assert.equal(csvLine([-5, 'a', undefined, null, true, { a: 1 }]), '-5,a,,,true,"{""a"":1}"\r\n')
})
