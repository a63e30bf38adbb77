import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examples } from '#contract/examples.ts'
import { readMessages } from '#contract/stream.ts'
import { lineOf as written } from '../../http/stream.ts'
import { follow } from './follow.ts'

const row = examples.watchDeliveries!.gives
const messages = [
  { comment: 'watching' },
  { event: 'delivery', id: 'x', data: row },
  { event: 'leftOut', data: { events: 3 } },
]

/** As it comes over the wire: cut anywhere. */
function streamOf(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(text)
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  )
  return ReadableStream.from(parts) as ReadableStream<Uint8Array>
}

test('what is written as server-sent events is read again, wherever it is cut', async () => {
  for (const size of [1, 7, 10_000]) {
    const read = await Array.fromAsync(readMessages(streamOf(messages.map(written).join(''), size)))
    assert.deepEqual(read, [
      { event: 'delivery', id: 'x', data: row },
      { event: 'leftOut', data: { events: 3 } },
    ])
  }
})

test('deliveries are printed a line each, as JSON where that is asked for; what was left out is told apart', async () => {
  const printed: string[] = []
  const complained: string[] = []
  const on = {
    print: (text: string) => void printed.push(text),
    complain: (text: string) => void complained.push(text),
  }
  const all = () => readMessages(streamOf(messages.map(written).join(''), 50))
  await follow(all(), {}, on)
  await follow(all(), { json: true }, on)
  assert.match(
    printed[0]!,
    /^2026-11-20T10:00:00\.160Z {2}Purchase order-1001 {2}eventSink scr_\w+ {2}pending vendorDown 503 HTTP 503: service unavailable\n$/,
  )
  assert.deepEqual(JSON.parse(printed[1]!), row)
  assert.equal(complained[0], 'Left out: {"events":3}\n')
})
