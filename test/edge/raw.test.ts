import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { call, makeCustomer, openAglet } from '../fake/aglet.ts'

const aglet = await openAglet('raw')
const customer = await makeCustomer(aglet, 'raw')

let sent = 0
const anEvent = () => JSON.stringify({ eventName: 'PageView', eventId: `raw-${++sent}`, timestamp: Date.now() })
const open = () => connect(aglet.port, '127.0.0.1')
/** The head of a POST to the edge or to the control API. */
const head = (path: string, ...lines: string[]) =>
  `${[`POST ${path} HTTP/1.1`, `host: 127.0.0.1:${aglet.port}`, 'content-type: application/json', ...lines].join('\r\n')}\r\n\r\n`
const tagPath = () => `/t/${customer.tagId}/tag`
const doors = () => [tagPath(), '/v1/script', '/']

type Answer = { status: number; json: { error?: string; statusCode?: number; result?: unknown } }

/** All responses until the server closes the connection. */
async function answersTo(...parts: (string | Buffer)[]): Promise<Answer[]> {
  const socket = open()
  socket.on('error', () => {})
  for (const part of parts) socket.write(part)
  return answersIn(await text(socket).catch(() => ''))
}

function answersIn(said: string): Answer[] {
  const heads = [...said.matchAll(/HTTP\/1\.1 (\d{3}) [^\r]*\r\n(?:[^\r]+\r\n)*?\r\n/g)]
  return heads.map((found, at) => {
    const from = found.index + found[0].length
    const body = said.slice(from, heads[at + 1]?.index ?? said.length)
    return { status: Number(found[1]), json: body.startsWith('{') ? JSON.parse(body) : {} }
  })
}

async function eventsTaken(): Promise<number> {
  const { body } = await call<{ events: unknown[] }>(customer, 'GET', `/tag/${customer.tagId}/event?limit=100`)
  return body.events.length
}

test('what two servers could read as two different requests is refused as no HTTP, at every door', async () => {
  const before = await eventsTaken()
  const smuggled = `POST ${tagPath()} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`
  const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  for (const path of doors()) {
    const body = anEvent()
    const cases: [what: string, bytes: string][] = [
      ['length and chunks', head(path, `content-length: ${body.length}`, 'transfer-encoding: chunked') + chunked(body)],
      ['chunks and length', head(path, 'transfer-encoding: chunked', 'content-length: 4') + chunked(body) + smuggled],
      ['two lengths', head(path, 'content-length: 3', `content-length: ${body.length}`) + body],
      ['two lengths in one', head(path, `content-length: ${body.length}, ${body.length}`) + body],
      ['a length with a sign', head(path, `content-length: +${body.length}`) + body],
      ['a negative length', head(path, 'content-length: -1') + body],
      ['a length in hex', head(path, 'content-length: 0x10') + body],
      ['chunked, not last', head(path, 'transfer-encoding: chunked, identity') + chunked(body)],
      ['a folded header', head(path, 'x-a: b\r\n c', `content-length: ${body.length}`) + body],
      ['a folded transfer-encoding', head(path, 'transfer-encoding:\r\n chunked') + chunked(body)],
      ['a space before the colon', head(path, 'transfer-encoding : chunked') + chunked(body)],
      ['a bare carriage return', head(path, 'x-a: b\rtransfer-encoding: chunked') + chunked(body)],
      ['a zero byte in a header', head(path, 'x-a: b\0c', `content-length: ${body.length}`) + body],
      ['two hosts', head(path, 'host: other', `content-length: ${body.length}`) + body],
      ['a chunk of no number', `${head(path, 'transfer-encoding: chunked')}zz\r\n${body}\r\n0\r\n\r\n`],
      [
        'a chunk that is too long for a number',
        `${head(path, 'transfer-encoding: chunked')}${'f'.repeat(17)}\r\n${body}`,
      ],
      ['a chunk longer than it says', `${head(path, 'transfer-encoding: chunked')}5\r\n${body}\r\n0\r\n\r\n`],
    ]
    for (const [what, bytes] of cases) {
      const answers = await answersTo(bytes, 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
      // An answer may arrive before the bad part of the body: then the error follows it, and the connection ends.
      assert.ok(answers.length > 0, `${path}, ${what}`)
      for (const { status, json } of answers) {
        assert.ok(status >= 400 && status < 500, `${path}, ${what}: ${JSON.stringify(answers)}`)
        assert.equal(json.statusCode, status, `${path}, ${what}`)
      }
    }
  }
  assert.equal(await eventsTaken(), before)
})

test('headers that are too many or too long, and an address that is, are 431 with the Error object', async () => {
  for (const path of doors())
    for (const lines of [['x-a: '.padEnd(17_000, 'b')], Array.from({ length: 70 }, (_, n) => `x-${n}: b`)]) {
      const [answer] = await answersTo(head(path, ...lines, 'content-length: 0', 'connection: close'))
      assert.deepEqual([answer?.status, answer?.json.error], [431, 'HEADERS_TOO_LARGE'])
    }
  const [answer] = await answersTo(head(`/${'a'.repeat(17_000)}`, 'content-length: 0'))
  assert.equal(answer?.status, 431)
})

test('good chunks are put together, however they come, and the next request of the connection is its own', async () => {
  const [first, second] = [anEvent(), anEvent()]
  const start = head(tagPath(), 'transfer-encoding: chunked')
  const bytes = [...first].map((letter) => `1;ext=1\r\n${letter}\r\n`).join('')
  const last = head(tagPath(), `content-length: ${second.length}`, 'connection: close')
  const answers = await answersTo(start, bytes, '0\r\ntrailer: x\r\n\r\n', last, second)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
})

test('a body that is longer than allowed is refused before it has come, with or without a length', async () => {
  const [told] = await answersTo(head(tagPath(), 'content-length: 1048577'), Buffer.alloc(100_000, 32))
  assert.equal(told?.status, 413)
  const chunk = Buffer.concat([Buffer.from('40000\r\n'), Buffer.alloc(0x40000, 32), Buffer.from('\r\n')])
  const [untold] = await answersTo(
    head(tagPath(), 'transfer-encoding: chunked'),
    ...Array.from({ length: 5 }, () => chunk),
  )
  assert.equal(untold?.status, 413)
})

/** Resolves with the responses once the server has ended the connection. */
async function dripping(start: string, drop: string): Promise<Answer[]> {
  const socket: Socket = open()
  socket.on('error', () => {})
  socket.write(start)
  const timer = setInterval(() => socket.writable && socket.write(drop), 500)
  const said = await text(socket).catch(() => '')
  clearInterval(timer)
  return answersIn(said)
}

test('slow senders are put an end to, and meanwhile everybody else is served', { timeout: 60_000 }, async () => {
  const slow = [
    ...Array.from({ length: 200 }, () => dripping('POST /v1/script HTTP/1.1\r\nhost: x\r\n', 'x-a: b\r\n')),
    ...Array.from({ length: 200 }, () => dripping(head(tagPath(), 'content-length: 1000'), ' ')),
    ...Array.from({ length: 100 }, () => dripping(head('/v1/script', 'transfer-encoding: chunked'), '1\r\n \r\n')),
  ]
  let left = slow.length
  for (const each of slow) each.then(() => left--)
  let served = 0
  while (left === slow.length) {
    const body = anEvent()
    const [answer] = await answersTo(head(tagPath(), `content-length: ${body.length}`, 'connection: close'), body)
    assert.equal(answer?.status, 200)
    served++
  }
  assert.ok(served > 1, 'nobody else was served while every slow sender held on')
  for (const answers of await Promise.all(slow))
    for (const { status } of answers) assert.ok(status >= 400 && status < 500, `${status}`)
})
