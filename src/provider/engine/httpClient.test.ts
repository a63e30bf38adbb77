import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { Agent, buildConnector, request } from 'undici'
import { HttpClient } from './httpClient.ts'
import { ResponseReader } from './httpResponse.ts'
import { requestBytes } from './requestBytes.ts'

type Context = { after(fn: () => unknown): void }
const limits = { headersMs: 2_000, totalMs: 2_000, readBytes: 1024 * 1024, keptBytes: 64 * 1024 }

/** A vendor's TCP server. `meet` gets each connection and the number of earlier connections. */
async function vendor(t: Context, meet: (socket: Socket, before: number) => void) {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    socket.setNoDelay(true).on('error', () => {})
    meet(socket, open.size)
    open.add(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = new HttpClient(buildConnector({ timeout: 1_000, allowH2: false }), limits)
  t.after(async () => {
    await client.close()
    for (const socket of open) socket.destroy()
    server.close()
  })
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const ask = (method = 'POST', body: string | undefined = '{}') => client.exchange({ url, method, headers: {}, body })
  return { url, open, client, ask }
}

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

type Outcome = { status: number; headers: Record<string, string>; body: string } | undefined

/** The result of our reader for a response that arrives in these pieces and then ends. Undefined: a failure. */
function readOurs(method: string, pieces: readonly Buffer[]): Outcome {
  const reader = new ResponseReader(method, limits.keptBytes)
  try {
    for (const piece of pieces) if (!reader.isDone) reader.take(piece)
    reader.end()
    return reader.response()
  } catch {
    return undefined
  }
}

/** The result of undici for the same bytes. */
async function readTheirs(agent: Agent, url: URL, method: string): Promise<Outcome> {
  try {
    const { statusCode, headers, body } = await request(url, { dispatcher: agent, method: method as 'GET' })
    const flat = Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value])
    return { status: statusCode, headers: Object.fromEntries(flat), body: await body.text() }
  } catch {
    return undefined
  }
}

const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((one, other) => one - other)
  return at.slice(1).map((end, n) => bytes.subarray(at[n], end))
}

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,11}$/).map((text) => `x-${text}`)
const value = fc.stringMatching(/^(?:[!-~](?:[ -~]{0,20}[!-~])?)?$/)
const framings = fc.oneof(
  fc.record({ way: fc.constant('length' as const), body: fc.string({ maxLength: 60 }) }),
  fc.record({ way: fc.constant('close' as const), body: fc.string({ maxLength: 60 }) }),
  fc.record({
    way: fc.constant('chunked' as const),
    chunks: fc.array(fc.string({ minLength: 1, maxLength: 30 }), { maxLength: 4 }),
    extension: fc.constantFrom('', ';a', ';a=b'),
    trailer: fc.constantFrom('', 'x-trailer: yes\r\n'),
  }),
)
const answers = fc.record({
  method: fc.constantFrom('POST', 'GET', 'HEAD'),
  status: fc.constantFrom(200, 201, 204, 301, 304, 400, 404, 429, 500, 503, 999),
  reason: fc.constantFrom(' OK', ' ', '', ' Not so fast'),
  interim: fc.constantFrom('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
  fields: fc.array(fc.tuple(name, fc.constantFrom(':', ': ', ':\t', ':  '), value), { maxLength: 6 }),
  framing: framings,
})

function written({
  method,
  status,
  reason,
  interim,
  fields,
  framing,
}: typeof answers extends fc.Arbitrary<infer A> ? A : never) {
  const isBare = method === 'HEAD' || status === 204 || status === 304
  let lines = fields.map((field) => `${field.join('')}\r\n`).join('')
  let body = ''
  if (framing.way === 'length' && status !== 204) lines += `Content-Length: ${Buffer.byteLength(framing.body)}\r\n`
  if (framing.way === 'chunked' && !isBare) {
    lines += 'Transfer-Encoding: chunked\r\n'
    const chunks = framing.chunks.map(
      (text) => `${Buffer.byteLength(text).toString(16)}${framing.extension}\r\n${text}\r\n`,
    )
    body = `${chunks.join('')}0\r\n${framing.trailer}\r\n`
  } else if (framing.way !== 'chunked') body = framing.body
  return Buffer.from(`${interim}HTTP/1.1 ${status}${reason}\r\n${lines}\r\n${isBare ? '' : body}`)
}

/** A vendor that sends undici the given bytes and then closes the connection. */
async function undiciBeside(t: Context) {
  let bytes: Buffer = Buffer.alloc(0)
  const { url } = await vendor(t, (socket) => socket.once('data', () => socket.end(bytes)))
  return async (method: string, answer: Buffer) => {
    bytes = answer
    const agent = new Agent({ pipelining: 1, headersTimeout: 1_000, bodyTimeout: 1_000 })
    return readTheirs(agent, url, method).finally(() => agent.destroy())
  }
}

test('a well-formed answer, cut anywhere, is read as undici reads it', async (t) => {
  const theirs = await undiciBeside(t)
  const places = fc.array(fc.nat(2_000), { maxLength: 12 })
  const property = fc.asyncProperty(answers, places, async (answer, at) => {
    const bytes = written(answer)
    const expected = await theirs(answer.method, bytes)
    assert.ok(expected, JSON.stringify(bytes.toString()))
    assert.deepEqual(readOurs(answer.method, cut(bytes, at)), expected)
    assert.deepEqual(
      readOurs(
        answer.method,
        [...bytes].map((byte) => Buffer.of(byte)),
      ),
      expected,
    )
  })
  await fc.assert(property, { numRuns: 150 })
})

/** Trims values: undici keeps the spaces after a value. */
const plain = (outcome: Outcome) =>
  outcome && {
    ...outcome,
    headers: Object.entries(outcome.headers).map(([name, text]) => [name, text.replaceAll(' ', '')]),
  }

const damages = fc.constantFrom(
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  ',',
  '0',
  '-1',
  '+1',
  '0x1',
  'chunked',
  '\r\n ',
  '\r\n\r\n',
  'é',
)
const oddHeaders = fc.constantFrom(
  'content-length: 5\r\n',
  'content-length: 5, 5\r\n',
  'content-length: -1\r\n',
  'content-length : 5\r\n',
  'transfer-encoding: chunked\r\n',
  'transfer-encoding: gzip, chunked\r\n',
  'transfer-encoding: chunked, identity\r\n',
  'transfer-encoding : chunked\r\n',
  'x: a\r\n b\r\n',
  'x\r\n',
  ': x\r\n',
)

test('an answer that was damaged is never read as a success that undici does not see', async (t) => {
  const theirs = await undiciBeside(t)
  const property = fc.asyncProperty(
    answers,
    fc.nat(2_000),
    damages,
    fc.option(oddHeaders),
    async (answer, at, damage, odd) => {
      const text = written(answer).toString('latin1')
      const place = at % (text.length + 1)
      const damaged = odd ? text.replace('\r\n', `\r\n${odd}`) : text.slice(0, place) + damage + text.slice(place)
      const bytes = Buffer.from(damaged, 'latin1')
      const ours = readOurs(answer.method, [bytes])
      if (ours) assert.deepEqual(plain(ours), plain(await theirs(answer.method, bytes)), JSON.stringify(damaged))
    },
  )
  await fc.assert(property, { numRuns: 300 })
})

test('an answer whose length could be read in two ways is refused', () => {
  for (const head of [
    'content-length: 2\r\ncontent-length: 2',
    'content-length: 2\r\ntransfer-encoding: chunked',
    'content-length: +2',
    'content-length: 2, 2',
    'transfer-encoding: chunked\r\ntransfer-encoding: chunked',
    'transfer-encoding: gzip, chunked',
    'content-length : 2',
    'x: a\r\n b',
    'x: a\nb',
  ])
    assert.equal(readOurs('POST', [Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n\r\nok`)]), undefined, head)
  assert.equal(readOurs('POST', [Buffer.from('HTTP/1.1 101 Switching\r\n\r\n')]), undefined)
  const extended = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;:a=b\r\na\r\n0\r\n\r\n'
  assert.equal(readOurs('POST', [Buffer.from(extended)]), undefined)
})

test('heads, header counts, interim answers, extensions and trailers are bounded', () => {
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
  for (const text of [
    `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(17_000)}`,
    `HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(300)}\r\n`,
    'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_001),
    `${chunked}1;${'x'.repeat(17_000)}`,
    `${chunked}${`1;${'x'.repeat(1_000)}\r\na\r\n`.repeat(20)}`,
    `${chunked}0\r\n${`x: ${'y'.repeat(1_000)}\r\n`.repeat(20)}`,
  ]) {
    const reader = new ResponseReader('POST', 10)
    assert.throws(() => reader.take(Buffer.from(text)), { code: 'RESPONSE_TOO_LARGE' }, text.slice(0, 80))
  }
})

test('a header cannot end its line, and none that frames the message is taken from a caller', () => {
  const written = (headers: Record<string, string>, method = 'POST') =>
    requestBytes({ url: new URL('http://a.example/b?c'), method, headers, body: 'ü' }).toString()
  assert.equal(
    written({ 'x-a': 'b' }),
    'POST /b?c HTTP/1.1\r\nhost: a.example\r\nconnection: keep-alive\r\nx-a: b\r\ncontent-length: 2\r\n\r\nü',
  )
  for (const headers of [
    { 'x-a': 'b\r\nc: d' },
    { 'x-a': 'b\nc' },
    { 'x-a': '\0' },
    { 'x-a': 'Ā' },
    { 'x a': 'b' },
    { 'x:a': 'b' },
    { '': 'b' },
    { 'Transfer-Encoding': 'chunked' },
    { 'content-length': '3' },
    { connection: 'x-a' },
    { host: 'a\r\nb: c' },
  ])
    assert.throws(() => written(headers as Record<string, string>), { code: 'BAD_REQUEST' }, JSON.stringify(headers))
  for (const method of ['GE T', 'GET\r\n', '', 'CONNECT'])
    assert.throws(() => written({}, method), { code: 'BAD_REQUEST' })
})

test('a connection that says more than was asked is not used again', async (t) => {
  for (const answer of [
    `${ok}HTTP/1.1 200 OK\r\n\r\n`,
    ok.replace('\r\n', '\r\nconnection: close\r\n'),
    ok.replace('1.1', '1.0'),
  ]) {
    const { open, ask } = await vendor(t, (socket) => socket.on('data', () => socket.write(answer)))
    for (let n = 0; n < 3; n++) assert.equal((await ask()).body, 'ok')
    assert.equal(open.size, 3, answer)
  }
})

test('what comes on a connection between two requests closes it', async (t) => {
  const closed = Promise.withResolvers<void>()
  const { open, ask } = await vendor(t, (socket) => {
    socket.on('close', () => closed.resolve())
    socket.on('data', () => {
      socket.write(ok)
      setImmediate(() => setImmediate(() => socket.write(ok)))
    })
  })
  await ask()
  await closed.promise
  await ask()
  assert.equal(open.size, 2)
})

test('a request whose connection ends before the answer is not sent again', async (t) => {
  let got = 0
  const { ask } = await vendor(t, (socket, before) =>
    socket.on('data', () => {
      got++
      if (before === 0 && got === 1) socket.write(ok)
      else socket.destroy()
    }),
  )
  assert.equal((await ask()).status, 200)
  await assert.rejects(ask())
  assert.equal(got, 2)
})

test('a connection is given up before the time that the other side keeps it', async (t) => {
  const { open, ask } = await vendor(t, (socket) =>
    socket.on('data', () => socket.write(ok.replace('\r\n', '\r\nkeep-alive: timeout=1\r\n'))),
  )
  await ask()
  await ask()
  assert.equal(open.size, 2)
})

test('a pool has 256 connections at most, and the requests beyond wait for one', async (t) => {
  const waiting: Socket[] = []
  const full = Promise.withResolvers<void>()
  const { open, ask } = await vendor(t, (socket) =>
    socket.on('data', () => {
      if (waiting.push(socket) === 256) full.resolve()
      if (open.size === 256 && waiting.length > 256) socket.write(ok)
    }),
  )
  const all = Array.from({ length: 300 }, () => ask())
  await full.promise
  for (const socket of waiting.slice(0, 256)) socket.write(ok)
  for (const answer of await Promise.all(all)) assert.equal(answer.body, 'ok')
  assert.equal(open.size, 256)
})

test('closing waits for the answers that are on their way, and takes no more', async (t) => {
  const arrived = Promise.withResolvers<Socket>()
  const { client, ask } = await vendor(t, (socket) => socket.once('data', () => arrived.resolve(socket)))
  const asked = ask()
  const socket = await arrived.promise
  const closed = client.close()
  await assert.rejects(ask())
  socket.write(ok)
  assert.equal((await asked).body, 'ok')
  await closed
})
