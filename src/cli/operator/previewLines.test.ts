import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { previewLines } from './previewLines.ts'

const line = (eventId: string) =>
  JSON.stringify({
    provider: 'eventSink',
    secrets: { EVENT_SINK_URL: 'https://sink.example/in' },
    event: { eventName: 'PageView', eventId, timestamp: 1_700_000_000_000 },
    now: 1_700_000_000_000,
  })

const deps = { now: () => 0, rates: () => ({ base: 'EUR', rates: { USD: 2 } }) }

async function runPreview(lines: readonly string[]) {
  const output = new PassThrough()
  const written = text(output)
  await previewLines(Readable.from(lines.map((each) => `${each}\n`)), output, deps)
  output.end()
  return (await written)
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each))
}

test('each input line gives one output line, in order', async () => {
  const ids = Array.from({ length: 200 }, (_, n) => `e${n}`)
  const shown = await runPreview(ids.map(line))
  assert.deepEqual(
    shown.map(({ requests }) => JSON.parse(requests[0].body).payload.eventId),
    ids,
  )
})

test('a line that is no JSON or names an unknown provider gives an error', async () => {
  const shown = await runPreview(['{nonsense', '{"provider":"nobody"}', '', line('e1')])
  assert.deepEqual(
    shown.map(({ error }) => error),
    ['BAD_LINE', 'UNKNOWN_PROVIDER', undefined],
  )
})

test('the output of a line is written before the next line is read', async () => {
  const input = new PassThrough()
  const output = new PassThrough({ encoding: 'utf8' })
  const done = previewLines(input, output, deps)
  for (const id of ['first', 'second']) {
    input.write(`${line(id)}\n`)
    const [answer] = (await once(output, 'data')) as [string]
    assert.match(answer, new RegExp(id))
  }
  input.end()
  await done
})

test("a preview uses the operator's exchange rates", async () => {
  const plugins = [{ plugin: 'currencyConversion', settings: { currency: 'USD' } }]
  const event = { eventName: 'Purchase', data: { value: 10, currency: 'EUR', orderId: '1' } }
  const [shown] = await runPreview([JSON.stringify({ ...JSON.parse(line('e1')), event, plugins })])
  assert.deepEqual(JSON.parse(shown.requests[0].body).payload.data, { value: 20, currency: 'USD', orderId: '1' })
})
