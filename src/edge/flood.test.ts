import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { openIntake } from '#stream/backpressure.ts'
import { until } from '../../test/fake/clock.ts'
import { event, openTestEdge, tagId } from './edge.fixture.ts'

const kib = 1_024
const limits = { openBytes: 64 * kib }

/** An edge whose disk confirms no append until the test resolves `disk`. */
async function openFlood(t: Parameters<typeof openTestEdge>[0]) {
  const disk = Promise.withResolvers<void>()
  const append = ({ keys }: { keys: readonly bigint[] }) => disk.promise.then(() => keys.map(() => true))
  const clock = { now: () => 0 }
  const intake = openIntake({ append }, { clock, freeBytes: () => 1e12, limits })
  const { retryAfterSeconds, countMemory, isFull } = intake
  const stream = { append: intake.append } as never
  return {
    edge: await openTestEdge(t, { deps: { stream, retryAfterSeconds, countMemory, isFull } }),
    intake,
    disk,
  }
}
const heavy = (n: number) => event({ eventId: `event-${n}`, note: 'x'.repeat(15 * kib) })

test('a flood is refused with 503 and Retry-After, memory stays bounded, and later events are accepted at once', async (t) => {
  const { edge, intake, disk } = await openFlood(t)
  const statuses: number[] = []
  const requests = Array.from({ length: 60 }, async (_, n) => {
    const { status, headers } = await edge.ask({ body: heavy(n) })
    statuses.push(status)
    if (status === 503) assert.match(String(headers['retry-after']), /^[1-9]\d*$/)
  })
  await until('most are refused', () => statuses.filter((status) => status === 503).length >= 40)
  assert.ok(intake.retryAfterSeconds(), 'it still refuses')
  disk.resolve()
  await Promise.all(requests)
  assert.ok(statuses.filter((status) => status === 200).length >= 4)
  assert.equal(intake.retryAfterSeconds(), undefined)
  assert.equal((await edge.ask({ body: heavy(100) })).status, 200)
})

test('senders who start together while there is room are refused when they have sent too much', async (t) => {
  const { edge, intake } = await openFlood(t)
  const head = `POST /t/${tagId}/tag HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${100 * kib}\r\n\r\n`
  const sockets = Array.from({ length: 8 }, () => connect(edge.port, '127.0.0.1'))
  t.after(() => sockets.forEach((socket) => void socket.destroy()))
  const answers: string[] = []
  for (const socket of sockets) socket.on('data', (data) => answers.push(String(data))).on('error', () => {})
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  for (const socket of sockets) socket.write(`${head}{`)
  for (const socket of sockets) socket.write('x'.repeat(40 * kib))
  await until('some are refused before their end', () => answers.length > 0)
  assert.ok(answers.every((answer) => answer.startsWith('HTTP/1.1 503 ')))
  for (const socket of sockets) socket.destroy()
  await until(
    'the memory of the refused requests is released',
    () => intake.retryAfterSeconds() === undefined && !intake.isFull(tagId),
  )
})
