import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogCollector, findCodePosition, isShallow, parseResult, toRunError } from './runResult.ts'

const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])

test('the position of an error is the first line of the customer’s code in its stack', () => {
  const stack = 'Error: x\n    at call (<isolated-vm>:8:29)\n    at inner (code.js:7:3)\n    at process (code.js:2:120)'
  assert.deepEqual(findCodePosition(stack), { line: 7, column: 3 })
  assert.equal(findCodePosition('Error: x\n    at call (<isolated-vm>:8:29)'), undefined)
})

test('secrets are redacted from an error', () => {
  const error = toRunError({ name: 'Error', message: 'key sekret-123 refused', stack: '' }, ['sekret-123'])
  assert.deepEqual(error, { message: 'Error: key ••• refused' })
})

test('logs are limited to 16 KiB and 256 lines, and are redacted before they are truncated', () => {
  const long = createLogCollector({ secrets: ['sekret-123'] })
  long.log('log', `${'x'.repeat(16 * 1024 - 3)}sekret-123`)
  long.log('log', 'more')
  assert.equal(long.lines.length, 1)
  assert.ok(!long.lines[0]!.text.includes('sek'))
  const many = createLogCollector({ secrets: [] })
  for (let n = 0; n < 1000; n++) many.log('error', '')
  assert.equal(many.lines.length, 256)
})

test('a value is at most 32 levels deep and at most 256 KiB large', () => {
  assert.ok(isShallow(nested(32), 32))
  assert.ok(!isShallow(nested(33), 32))
  assert.deepEqual(parseResult('{"a":[1]}'), { value: { a: [1] } })
  for (const text of [
    JSON.stringify(nested(33)),
    JSON.stringify('x'.repeat(256 * 1024)),
    'no json',
    '['.repeat(100_000),
  ])
    assert.equal((parseResult(text) as { breach?: string }).breach, 'output')
})
