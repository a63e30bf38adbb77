import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorOf, gatherLogs, isShallow, placeIn, readValue } from './told.ts'

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])

test('the place of an error is the first line of the customer’s own code in its stack', () => {
  const stack = 'Error: x\n    at call (<isolated-vm>:8:29)\n    at inner (code.js:7:3)\n    at process (code.js:2:120)'
  assert.deepEqual(placeIn(stack), { line: 7, column: 3 })
  assert.equal(placeIn('Error: x\n    at call (<isolated-vm>:8:29)'), undefined)
})

test('secrets are struck out of an error', () => {
  const error = errorOf({ name: 'Error', message: 'key sekret-123 refused', stack: '' }, ['sekret-123'])
  assert.deepEqual(error, { message: 'Error: key ••• refused' })
})

test('logs end at 16 KiB and at 256 lines, and secrets are struck out before they are cut', () => {
  const long = gatherLogs({ secrets: ['sekret-123'] })
  long.log('log', `${'x'.repeat(16 * 1024 - 3)}sekret-123`)
  long.log('log', 'more')
  assert.equal(long.lines.length, 1)
  assert.ok(!long.lines[0]!.text.includes('sek'))
  const many = gatherLogs({ secrets: [] })
  for (let n = 0; n < 1000; n++) many.log('error', '')
  assert.equal(many.lines.length, 256)
})

test('a value is nested at most 32 levels deep, and no larger than 256 KiB', () => {
  assert.ok(isShallow(nested(32), 32))
  assert.ok(!isShallow(nested(33), 32))
  assert.deepEqual(readValue('{"a":[1]}'), { value: { a: [1] } })
  for (const text of [
    JSON.stringify(nested(33)),
    JSON.stringify('x'.repeat(256 * 1024)),
    'no json',
    '['.repeat(100_000),
  ])
    assert.equal((readValue(text) as { breach?: string }).breach, 'output')
})
