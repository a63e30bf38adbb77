import assert from 'node:assert/strict'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { previewLines } from './preview.ts'

const line = (eventId: string) =>
  JSON.stringify({
    provider: 'eventSink',
    secrets: { EVENT_SINK_URL: 'https://sink.example/in' },
    event: { eventName: 'PageView', eventId, timestamp: 1_700_000_000_000 },
    now: 1_700_000_000_000,
  })

const world = { now: () => 0, rates: () => ({ base: 'EUR', rates: { USD: 2 } }) }

async function previewed(lines: readonly string[]) {
  const output = new PassThrough()
  const written = text(output)
  await previewLines(Readable.from(lines.map((each) => `${each}\n`)), output, world)
  output.end()
  return (await written)
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each))
}

test('each line is answered by a line, in order', async () => {
  const ids = Array.from({ length: 200 }, (_, n) => `e${n}`)
  const shown = await previewed(ids.map(line))
  assert.deepEqual(
    shown.map(({ requests }) => JSON.parse(requests[0].body).payload.eventId),
    ids,
  )
})

test('a line that is no JSON, or names a provider that is not here, is answered by what is wrong with it', async () => {
  const shown = await previewed(['{nonsense', '{"provider":"nobody"}', '', line('e1')])
  assert.deepEqual(
    shown.map(({ error }) => error),
    ['BAD_LINE', 'UNKNOWN_PROVIDER', undefined],
  )
})

test('an answer is written before the next line comes', async () => {
  const input = new PassThrough()
  const output = new PassThrough({ encoding: 'utf8' })
  const done = previewLines(input, output, world)
  for (const id of ['first', 'second']) {
    input.write(`${line(id)}\n`)
    const [answer] = (await once(output, 'data')) as [string]
    assert.match(answer, new RegExp(id))
  }
  input.end()
  await done
})

test("the operator's exchange rates are those of AGLET_RATES_FILE, as the server has them", async () => {
  const plugins = [{ plugin: 'currencyConversion', settings: { currency: 'USD' } }]
  const event = { eventName: 'Purchase', data: { value: 10, currency: 'EUR', orderId: '1' } }
  const [shown] = await previewed([JSON.stringify({ ...JSON.parse(line('e1')), event, plugins })])
  assert.deepEqual(JSON.parse(shown.requests[0].body).payload.data, { value: 20, currency: 'USD', orderId: '1' })
})
