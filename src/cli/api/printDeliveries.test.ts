import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEventStream } from '#contract/eventStream.ts'
import { examples } from '#contract/examples.ts'
import { formatMessage } from '#http/serverSentEvents.ts'
import { printDeliveries } from './printDeliveries.ts'

const row = examples.watchDeliveries!.response
const messages = [
  { comment: 'watching' },
  { event: 'delivery', id: 'x', data: row },
  { event: 'leftOut', data: { events: 3 } },
]

/** The text as a stream of chunks of `size` bytes. */
function streamOf(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(text)
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  )
  return ReadableStream.from(parts) as ReadableStream<Uint8Array>
}

test('server-sent events are parsed from chunks of any size', async () => {
  for (const size of [1, 7, 10_000]) {
    const read = await Array.fromAsync(readEventStream(streamOf(messages.map(formatMessage).join(''), size)))
    assert.deepEqual(read, [
      { event: 'delivery', id: 'x', data: row },
      { event: 'leftOut', data: { events: 3 } },
    ])
  }
})

test('each delivery is printed as a line, with --json as JSON, and a count of skipped events goes to standard error', async () => {
  const printed: string[] = []
  const errors: string[] = []
  const deps = {
    print: (text: string) => void printed.push(text),
    printError: (text: string) => void errors.push(text),
  }
  const all = () => readEventStream(streamOf(messages.map(formatMessage).join(''), 50))
  await printDeliveries(all(), {}, deps)
  await printDeliveries(all(), { json: true }, deps)
  assert.match(
    printed[0]!,
    /^2026-11-20T10:00:00\.160Z {2}Purchase order-1001 {2}eventSink scr_\w+ {2}pending vendorDown 503 HTTP 503: service unavailable\n$/,
  )
  assert.deepEqual(JSON.parse(printed[1]!), row)
  assert.equal(errors[0], 'Skipped: {"events":3}\n')
})
