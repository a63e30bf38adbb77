import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coalesceLines, createLog } from './log.ts'
import { Secret } from './secret.ts'

function openTestLog(isText: boolean) {
  const lines: string[] = []
  return { lines, log: createLog({ write: (line) => lines.push(line), now: () => 1_700_000_000_000, isText }) }
}

test('a call writes one line of JSON with its time and level', () => {
  const { lines, log } = openTestLog(false)
  log({ message: 'attempt', tagId: 'tag_1', durationMs: 12 })
  assert.deepEqual(lines, [
    '{"at":"2023-11-14T22:13:20.000Z","level":"info","message":"attempt","tagId":"tag_1","durationMs":12}\n',
  ])
})

test('a secret prints as dots in JSON and in text', () => {
  for (const isText of [false, true]) {
    const { lines, log } = openTestLog(isText)
    log({ message: 'opened', value: new Secret('hunter2'), deep: { value: new Secret('hunter2') } })
    assert.match(lines[0]!, /•••.*•••/)
    assert.doesNotMatch(lines[0]!, /hunter2/)
  }
})

test('an error prints its stack at the level error, and its message at other levels', () => {
  for (const isText of [false, true]) {
    const { lines, log } = openTestLog(isText)
    log({ level: 'warn', message: 'slow', problem: new Error('disk') })
    log({ level: 'error', message: 'broken', problem: new Error('disk') })
    assert.match(lines[0]!, /disk/)
    assert.doesNotMatch(lines[0]!, /log\.test\.ts/)
    assert.match(lines[1]!, /log\.test\.ts/)
  }
})

test('a call writes one line of text with isText', () => {
  const { lines, log } = openTestLog(true)
  log({ level: 'warn', message: 'started', port: 4000, roles: ['edge'] })
  assert.deepEqual(lines, ["22:13:20 warn started port=4000 roles=[ 'edge' ]\n"])
})

test('a value that cannot be serialized does not make a log call throw', () => {
  const circle: Record<string, unknown> = {}
  circle.self = circle
  const { lines, log } = openTestLog(false)
  log({ message: 'round', circle })
  log({ message: 'big', key: 12n })
  assert.equal(JSON.parse(lines[0]!).message, 'round')
  assert.equal(JSON.parse(lines[1]!).key, '12')
})

test('lines of one turn are written at once and in order, and flush writes the rest', async () => {
  const openTestLog: string[] = []
  const { write, flush } = coalesceLines((lines) => openTestLog.push(lines))
  for (const line of ['a\n', 'b\n']) write(line)
  assert.deepEqual(openTestLog, [])
  await new Promise(setImmediate)
  assert.deepEqual(openTestLog, ['a\nb\n'])
  write('c\n')
  flush()
  await new Promise(setImmediate)
  assert.deepEqual(openTestLog, ['a\nb\n', 'c\n'])
})
