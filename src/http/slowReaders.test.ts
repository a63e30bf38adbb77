import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { sendExport } from './sendExport.ts'
import { sendEventStream } from './serverSentEvents.ts'

/** Endless parts. `read` counts the parts requested, and `ended` resolves when no more are. */
function endless<Part>(part: Part) {
  const ended = Promise.withResolvers<void>()
  const counted = { read: 0, ended: ended.promise }
  async function* parts() {
    try {
      for (;;) {
        counted.read++
        yield part
      }
    } finally {
      ended.resolve()
    }
  }
  return { counted, parts: parts() }
}

/** Requests a route with the handler `send`, and never reads the response, until `ended`. */
async function neverRead(
  send: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
  ended: Promise<void>,
): Promise<void> {
  const app = fastify()
  app.get('/', send)
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const socket = connect(Number(port), '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await ended
  socket.destroy()
  await app.close()
}

const text = 'x'.repeat(64 * 1024)
/** Parts of 64 KiB that the system and Node buffer for a connection: at most 12 MiB. */
const mostBuffered = 200

test('a stream that is never read is closed, and no more is asked for than fits in the buffers', async () => {
  const { counted, parts } = endless([{ data: text }])
  await neverRead((request, reply) => sendEventStream(request, reply, parts, 200), counted.ended)
  assert.ok(counted.read <= mostBuffered, `${counted.read} groups`)
})

test('an export that is never read is broken off, and no more is read than fits in the buffers', async () => {
  const { counted, parts } = endless(text)
  const file = { name: 'event', format: 'ndjson', parts } as const
  await neverRead((request, reply) => sendExport(request, reply, file, 200), counted.ended)
  assert.ok(counted.read <= mostBuffered, `${counted.read} parts`)
})
