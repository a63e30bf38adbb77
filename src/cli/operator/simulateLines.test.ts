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
  const isGood = await simulateLines(Readable.from(lines.map((each) => `${each}\n`)), output, {
    parseCode: openParser(),
    runCode,
    brand: 'Service',
    guard: { allowPrivate: false, ports: [], ownPorts: [] },
    now: () => 0,
  })
  output.end()
  const answers = (await written)
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each))
  return Object.assign(answers, { isGood })
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
  assert.equal(shown.isGood, false)
})

test('code of a webhook runs for a call with any method, headers and body', async () => {
  const code = 'async process({ request }) { return new Response() }'
  const requests = [
    { method: 'PUT', headers: { 'X-Topic': 'orders' }, body: 'not json' },
    { body: { id: 7 } },
    { method: 'GET' },
  ]
  const given: unknown[] = []
  const shown = await runSimulation([JSON.stringify({ code, requests })], async ({ params }) => {
    given.push(params.request)
    return { value: { status: 200, headers: [], body: '' }, logs: [] }
  })
  const url = 'https://tag.example/webhook/scr_simulated'
  assert.deepEqual(given, [
    { url, method: 'PUT', headers: [['x-topic', 'orders']], body: 'not json' },
    { url, method: 'POST', headers: [], body: '{"id":7}' },
    { url, method: 'GET', headers: [] },
  ])
  assert.equal(shown.isGood, true)
  const [playground] = await runSimulation([JSON.stringify({ code: good, requests })], async () => assert.fail())
  assert.match(playground.results[0].error.message, /Use a webhook for requests/)
})

test('a line whose code throws is not good', async () => {
  const shown = await runSimulation([line(good)], async () => ({ error: { message: 'Error: no' }, logs: [] }))
  assert.equal(shown.isGood, false)
})

test('a line says why its code is not run', async () => {
  const off: RunCode = async () => ({ notRun: 'off', message: 'No isolation.', logs: [] })
  assert.deepEqual(
    [...(await runSimulation([line(good)], off))],
    [{ results: [], error: 'CODE_OFF', message: 'No isolation.' }],
  )
})
