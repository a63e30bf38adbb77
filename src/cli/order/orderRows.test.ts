import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/fake/cases.ts'
import { csvRows } from './csvRows.ts'
import { ownMap, parseMap, type RowOptions, readOrders, shopMaps } from './orderRows.ts'
import { openText } from './registerOrderImport.ts'

const folder = mkdtempSync(join(tmpdir(), 'aglet-orders-'))
after(() => rmSync(folder, { recursive: true }))

const options: RowOptions = { map: ownMap, decimal: 'point', source: 'upload', isNdjson: false }
async function* partsOf(text: string, size = text.length || 1) {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}
async function ordersOf(text: string, own: Partial<RowOptions> = {}) {
  const orders = []
  for await (const { order } of readOrders(partsOf(text), { ...options, ...own })) orders.push(order)
  return orders
}
const head = 'orderId,placedAt,status,value,currency'
const order = { orderId: '#1', placedAt: 1_795_168_800_000, updatedAt: 1_795_168_800_000 }
const whole = { ...order, status: 'paid', value: 84.9, currency: 'EUR', source: 'upload' }

describe('orders of a file', () => {
  test('separators, quotes and line ends of any kind are read', async () => {
    for (const separator of [',', ';', '\t'])
      for (const end of ['\n', '\r\n']) {
        const line = ['"#1"', '2026-11-20 10:00:00 +0000', 'paid', '84.90', 'EUR'].join(separator)
        assert.deepEqual(await ordersOf([head.replaceAll(',', separator), line, ''].join(end)), [whole])
      }
  })

  test('a text in any encoding gives the same orders', async () => {
    const text = `${head},salesChannel\n#1,2026-11-20T10:00Z,paid,84.90,EUR,Läden\n`
    const utf16 = Buffer.from(text, 'utf16le')
    const files = {
      utf8: Buffer.from(text),
      bom: Buffer.from(`\ufeff${text}`),
      utf16,
      'utf16 with its mark': Buffer.from(`\ufeff${text}`, 'utf16le'),
      'utf16 of the other order': Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
      latin: Buffer.from(text, 'latin1'),
    }
    for (const [name, bytes] of Object.entries(files)) {
      const path = join(folder, `${name}.csv`)
      writeFileSync(path, bytes)
      const { read } = await openText(path)
      const orders = []
      for await (const each of readOrders(read(), options)) orders.push(each.order)
      assert.deepEqual(orders, [{ ...whole, salesChannel: 'Läden' }], name)
    }
  })

  test('what is wrong is told with its line and its column', async () => {
    const wrong: [string, RegExp, Partial<RowOptions>?][] = [
      [`${head}\n#1,yesterday,paid,1,EUR`, /^Line 2, column 2 \(placedAt\): is not a time with a time zone/],
      [`${head}\n#1,2026-11-20 10:00,paid,1,EUR`, /^Line 2, column 2/],
      [
        `${head}\n\n#1,2026-11-20T10:00Z,paid,"84,90",EUR`,
        /^Line 3, column 4 \(value\): is not a number: .*--decimal comma/,
      ],
      [`${head}\n#1,2026-11-20T10:00Z,paid,84.90,EUR`, /^Line 2, column 4/, { decimal: 'comma' }],
      [`${head}\n"#1\n",2026-11-20T10:00Z,lost,1,EUR`, /^Line 2, column 3 \(status\)/],
      [`${head}\n"#1,2026`, /^Line 2, column 1: the quote is not closed/],
      [`${head}\n"#1"x,2026`, /^Line 2, column 1: text follows the closing quote/],
      [`${head}\n#1,2026-11-20T10:00Z,paid,1,EUR,more`, /^Line 2, column 6: the first line has 5 columns/],
      ['orderId,total\n#1,1', /^Line 1 has no column placedAt: it has orderId, total/],
      ['{"a":1}\nno', /^Line 2: is not a JSON object/, { isNdjson: true }],
    ]
    for (const [text, message, own] of wrong) await assert.rejects(ordersOf(text, own), { message })
    await assert.doesNotReject(ordersOf(`${head}\n#1,2026-11-20T10:00Z,paid,"84,90",EUR`, { decimal: 'comma' }))
  })

  test('an export of Shopify has one order for all lines of its items', async () => {
    const columns = 'Name,Email,Financial Status,Created at,Total,Currency,Taxes,Lineitem name,Id,Source'
    const first = '#1001,jane@example.com,paid,2026-11-20 11:00:00 +0100,84.90,EUR,13.56,Shirt,5566,web'
    const item = '#1001,jane@example.com,,2026-11-20 11:00:00 +0100,,,,Socks,,'
    const orders = await ordersOf([columns, first, item, item].join('\n'), {
      map: shopMaps['shopify-csv']!,
      source: 'shopify',
    })
    const { placedAt, updatedAt } = order
    assert.deepEqual(orders, [
      {
        ...{ orderId: '#1001', aliases: ['5566'], placedAt, updatedAt, status: 'paid', value: 84.9, currency: 'EUR' },
        ...{ tax: 13.56, salesChannel: 'web', source: 'shopify' },
      },
    ])
  })

  test('columns are named by a map, and an unknown field is refused', () => {
    assert.deepEqual(parseMap('orderId=Order No.,value=Total'), { orderId: 'Order No.', value: 'Total' })
    assert.throws(() => parseMap('email=E-mail'), /--map/)
    assert.throws(() => parseMap('orderId'), /--map/)
  })

  test('any table is read as it was written, however its text is cut into parts', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'ä', '"', ',', '\n', ';', ' '), maxLength: 6 })
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 9 }), async (rows, size) => {
        const text = ['h,h,h,h', ...rows.map((row) => row.map((each) => `"${each.replaceAll('"', '""')}"`).join(','))]
        const read = []
        for await (const { cells } of csvRows(partsOf(text.join('\r\n'), size))) read.push(cells)
        assert.deepEqual(read.slice(1), rows)
      }),
      { numRuns: cases(500), endOnFailure: true },
    )
  })

  test('a hundred thousand lines are read without holding them', async () => {
    async function* many() {
      yield `${head}\n`
      for (let part = 0; part < 100; part++)
        yield Array.from({ length: 1_000 }, (_, n) => `${part * 1_000 + n},2026-11-20T10:00Z,paid,84.9,EUR\n`).join('')
    }
    let count = 0
    for await (const _ of readOrders(many(), options)) count++
    assert.equal(count, 100_000)
  })
})
