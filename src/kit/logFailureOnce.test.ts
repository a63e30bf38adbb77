import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logFailureOnce } from './logFailureOnce.ts'

test('work that fails for long is told once, its success after that once, and the next failure again', async () => {
  const lines: string[] = []
  const run = logFailureOnce(({ level = 'info', message }) => void lines.push(`${level} ${message}`), {
    failed: 'could not',
    again: 'can again',
  })
  const fail = async () => {
    throw new Error('away')
  }
  for (const work of [async () => {}, fail, fail, async () => {}, async () => {}, fail]) await run(work)
  assert.deepEqual(lines, ['error could not', 'info can again', 'error could not'])
})
