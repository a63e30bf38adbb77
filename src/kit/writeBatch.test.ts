import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packWrites } from './writeBatch.ts'

test('a small buffer is sent to another thread without its memory pool', () => {
  const small = Buffer.from('abc')
  assert.ok(small.buffer.byteLength > small.byteLength, 'the buffer is part of a pool')
  const { units } = packWrites([[{ sql: 'INSERT INTO a VALUES (?, ?)', rows: [[7, small]] }]])
  const [number, bytes] = units[0]![0]!.rows[0]!
  assert.equal(number, 7)
  assert.ok(bytes instanceof Uint8Array)
  assert.deepEqual([bytes.buffer.byteLength, Buffer.from(bytes).toString()], [3, 'abc'])
})

test('an SQL text is sent to another thread once, and a statement without rows is not sent', () => {
  const one = { sql: 'one', rows: [[1]] }
  const two = { sql: 'two', rows: [[2]] }
  assert.deepEqual(packWrites([[one, { sql: 'none', rows: [] }, two], [], [two, one]]), {
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
