import assert from 'node:assert/strict'
import { test } from 'node:test'
import { table, withSection } from '../../scripts/faultTable.ts'

test('the table adds up what several runs came to, and tells the worst of what is no count', () => {
  const row = { fault: 'kill -9', seed: 1, times: 2, accepted: 900, lost: 0, slowestRestartMs: 10 }
  const made = table([
    row,
    { fault: 'pass', seed: 1, minutes: 2, holds: true },
    { ...row, seed: 2, lost: 3, slowestRestartMs: 30 },
    { fault: 'pass', seed: 2, minutes: 3, holds: false },
  ])
  assert.match(made, /\| kill -9 \| 4 \| 1,800 \|(?: +\|){3} 3 \|(?: +\|){2} slowest restart 30 ms \|/)
  assert.match(made, /2 passes in 5 minutes, seeds 1 to 2, NOT ALL HELD/)
})

test('a table replaces the part of its suite alone', () => {
  const page = '# Runs\n\n## One machine\n\nold\n\n## Many machines\n\nolder\n'
  assert.equal(
    withSection(page, 'One machine', 'new'),
    '# Runs\n\n## One machine\n\nnew\n\n## Many machines\n\nolder\n',
  )
  assert.equal(
    withSection(page, 'Many machines', 'new'),
    '# Runs\n\n## One machine\n\nold\n\n## Many machines\n\nnew\n',
  )
  assert.throws(() => withSection(page, 'No machine', 'new'), /no heading No machine/)
})
