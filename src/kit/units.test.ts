import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packed } from './units.ts'

test('what goes to another thread takes nothing along of the memory it was cut from', () => {
  const small = Buffer.from('abc')
  assert.ok(small.buffer.byteLength > small.byteLength, 'it is cut from more')
  const { units } = packed([[{ sql: 'INSERT INTO a VALUES (?, ?)', rows: [[7, small]] }]])
  const [number, bytes] = units[0]![0]!.rows[0]!
  assert.equal(number, 7)
  assert.ok(bytes instanceof Uint8Array)
  assert.deepEqual([bytes.buffer.byteLength, Buffer.from(bytes).toString()], [3, 'abc'])
})

test('an SQL text goes to another thread once, and one without rows not at all', () => {
  const one = { sql: 'one', rows: [[1]] }
  const two = { sql: 'two', rows: [[2]] }
  assert.deepEqual(packed([[one, { sql: 'none', rows: [] }, two], [], [two, one]]), {
    sql: ['one', 'two'],
    units: [
      [
        { sql: 0, rows: [[1]] },
        { sql: 1, rows: [[2]] },
      ],
      [],
      [
        { sql: 1, rows: [[2]] },
        { sql: 0, rows: [[1]] },
      ],
    ],
  })
})
