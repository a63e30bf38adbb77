import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alone } from './units.ts'

test('what goes to another thread takes nothing along of the memory it was cut from', () => {
  const small = Buffer.from('abc')
  assert.ok(small.buffer.byteLength > small.byteLength, 'it is cut from more')
  const [statement] = alone([{ sql: 'INSERT INTO a VALUES (?, ?)', rows: [[7, small]] }])
  const [number, bytes] = statement!.rows[0]!
  assert.equal(number, 7)
  assert.ok(bytes instanceof Uint8Array)
  assert.deepEqual([bytes.buffer.byteLength, Buffer.from(bytes).toString()], [3, 'abc'])
})
