import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { openParser } from '#sandbox/parseCode.ts'
import type { RunCode } from '#sandbox/sharedSandbox.ts'
import { simulateLines } from './simulateLines.ts'

async function runSimulation(lines: readonly string[], runCode: RunCode) {
  const output = new PassThrough()
  const written = text(output)
  await simulateLines(Readable.from(lines.map((each) => `${each}\n`)), output, {
    parseCode: openParser(),
    runCode,
    brand: 'Service',
    guard: { allowPrivate: false, ports: [], ownPorts: [] },
    now: () => 0,
  })
  output.end()
  return (await written)
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each))
}
const line = (code: string) => JSON.stringify({ code, events: [{ eventName: 'PageView' }] })
const good = 'async tag({ event }) { return event.eventName }'

test('each input line gives one output line, in order, and a line that cannot run gives an error', async () => {
  const lines = [line(good), '{nonsense', '{"code":"x"}', '', line('async tag( {'), line(good)]
  const shown = await runSimulation(lines, async ({ params }) => ({
    value: (params.event as { eventId: string }).eventId,
    logs: [],
  }))
  assert.deepEqual(
    shown.map(({ error, results }) => error ?? results[0].result),
    ['evt-1', 'BAD_LINE', 'BAD_LINE', 'BAD_CODE', 'evt-1'],
  )
  assert.match(shown[3].message, /line 1, column \d+/)
})

test('a line says why its code is not run', async () => {
  const off: RunCode = async () => ({ notRun: 'off', message: 'No isolation.', logs: [] })
  assert.deepEqual(await runSimulation([line(good)], off), [
    { results: [], error: 'CODE_OFF', message: 'No isolation.' },
  ])
})
