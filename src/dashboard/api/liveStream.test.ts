import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamMessage } from '#contract/eventStream.ts'
import { backoffMs, type LiveState, readLive } from './liveStream.ts'

const message = (id: number): StreamMessage<unknown> => ({ event: 'event', id: `${id}`, data: id })

/** A server that has messages 1 to `count` and cuts the stream after every `cut`. */
function openServer(count: number, cut: number) {
  const asked: (string | undefined)[] = []
  async function* stream(after: number) {
    for (let id = after + 1; id <= count && id <= after + cut; id++) yield message(id)
  }
  const open = async (last: string | undefined) => {
    asked.push(last)
    return stream(Number(last ?? 0))
  }
  return { asked, open }
}

test('after a cut nothing is missing and nothing comes twice', async () => {
  const server = openServer(7, 3)
  const got: unknown[] = []
  const stop = new AbortController()
  let last: string | undefined
  await readLive(
    {
      lastEventId: () => last,
      open: server.open,
      onMessage({ id, data }) {
        last = id
        got.push(data)
      },
      onState: () => undefined,
      wait: async () => {
        if (got.length === 7) stop.abort()
      },
      delayMs: () => 1,
    },
    stop.signal,
  )
  assert.deepEqual(got, [1, 2, 3, 4, 5, 6, 7])
  assert.deepEqual(server.asked, [undefined, '3', '6'])
})

test('a stream that is refused for good is closed and not asked for again', async () => {
  const states: LiveState[] = []
  let asked = 0
  await readLive(
    {
      lastEventId: () => undefined,
      async open() {
        asked++
        throw new Error('no')
      },
      onMessage: () => undefined,
      onState: (state) => states.push(state),
      wait: async () => undefined,
      delayMs: (failures) => (failures < 3 ? 1 : undefined),
    },
    new AbortController().signal,
  )
  assert.equal(asked, 3)
  assert.deepEqual(states, ['connecting', 'waiting', 'connecting', 'waiting', 'connecting', 'closed'])
})

test('the time before the next try doubles from 1 s to 30 s, a little spread', () => {
  assert.deepEqual(
    [1, 2, 3, 9].map((n) => backoffMs(n, () => 1)),
    [1_000, 2_000, 4_000, 30_000],
  )
  assert.equal(
    backoffMs(1, () => 0),
    750,
  )
})
