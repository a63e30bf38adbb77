import assert from 'node:assert/strict'
import { createServer as createHttpServer, get } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fault } from '#contract/fault.ts'
import { until } from '../../test/fake/clock.ts'
import { type AnswerRequest, openHttpServer, sendFault } from './httpServer.ts'

const hello: AnswerRequest = (_request, response) => response.end('hello')

async function opened(answer: AnswerRequest = hello) {
  const http = openHttpServer(answer)
  const port = await http.listen('127.0.0.1', 0)
  return { http, port }
}

/** The response to raw bytes. */
async function raw(port: number, bytes: string): Promise<{ status: number; head: string; body: string }> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  const answer = await text(socket)
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body }
}

const request = (headers: string) => `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${headers}\r\n`

test('invalid HTTP gets one Error object, and the connection closes', async (t) => {
  const { http, port } = await opened()
  t.after(() => http.close(0))
  for (const bytes of [
    'nonsense\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n', // no Host
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    'GET / HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nX: host\r\nhOST: a\r\n\r\n',
  ]) {
    const { status, head, body } = await raw(port, bytes)
    assert.equal(status, 400, bytes)
    assert.equal(JSON.parse(body).error, 'HTTP_BROKEN', bytes)
    assert.match(head, /connection: close/i)
  }
})

test('a Host that is no host, and a target that is neither a path nor an http URL, are 400', async (t) => {
  const { http, port } = await opened()
  t.after(() => http.close(0))
  const ask = (target: string, host: string) =>
    raw(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  for (const host of ['a b', 'a/b', 'a@b', 'a:b', 'a:123456', '[::1', 'http://a', 'a\u00e9', 'a?b', 'a#b', 'a"']) {
    const { status, body } = await ask('/', host)
    assert.deepEqual([status, JSON.parse(body).error], [400, 'HTTP_BROKEN'], host)
  }
  for (const host of ['', 'a', 'A.example.:443', 'a_b:', '[::1]:80', '127.0.0.1', 'xn--bcher-kva.example'])
    assert.equal((await ask('/', host)).status, 200, host)
  for (const target of ['*', 'ftp://a/', 'http:///a', 'http://u@a/'])
    assert.equal((await ask(target, 'a')).status, 400, target)
})

test('a target in absolute form is read as its path and its host', async (t) => {
  const { http, port } = await opened(({ url, headers }, response) => response.end(`${headers.host} ${url}`))
  t.after(() => http.close(0))
  for (const [target, seen] of [
    ['http://shop.example:81/t/x?y=1', 'shop.example:81 /t/x?y=1'],
    ['HTTPS://Shop.example', 'Shop.example /'],
    ['http://shop.example?q', 'shop.example /?q'],
    ['/plain?u=http://b/', 'a /plain?u=http://b/'],
  ])
    assert.equal((await raw(port, request('').replace(' / ', ` ${target} `))).body, seen)
})

test('a transfer coding other than chunked is 501, and the connection closes', async (t) => {
  const { http, port } = await opened()
  t.after(() => http.close(0))
  const post = (coding: string) =>
    raw(port, `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${coding}\r\nConnection: close\r\n\r\n0\r\n\r\n`)
  for (const coding of ['gzip, chunked', 'x-new, chunked']) {
    const { status, body, head } = await post(coding)
    assert.deepEqual([status, JSON.parse(body).error], [501, 'TRANSFER_CODING_UNKNOWN'], coding)
    assert.match(head, /connection: close/i)
  }
  assert.equal((await post('Chunked')).status, 200)
})

test('OPTIONS * lists the methods of the server', async (t) => {
  const { http, port } = await opened()
  t.after(() => http.close(0))
  const { status, head } = await raw(port, 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  assert.equal(status, 204)
  assert.match(head, /allow: GET, HEAD, POST, PUT, DELETE, OPTIONS/i)
})

test('headers of more than 16 KiB, or more than 64 headers, are 431', async (t) => {
  const { http, port } = await opened()
  t.after(() => http.close(0))
  const long = await raw(port, request(`X-Long: ${'a'.repeat(17_000)}\r\n`))
  const many = await raw(port, request('X-A: b\r\n'.repeat(70)))
  for (const { status, body } of [long, many]) {
    assert.equal(status, 431)
    assert.equal(JSON.parse(body).error, 'HEADERS_TOO_LARGE')
  }
  assert.equal((await raw(port, request('X-A: b\r\n'.repeat(60)))).status, 200)
})

test('the server has its limits on headers and time', async (t) => {
  const { http } = await opened()
  t.after(() => http.close(0))
  const { headersTimeout, requestTimeout, maxHeadersCount, timeout } = http.server
  assert.deepEqual([headersTimeout, requestTimeout, maxHeadersCount, timeout], [10_000, 15_000, 65, 120_000])
})

test('a request that does not arrive in time is 408', async (t) => {
  const { http, port } = await opened()
  t.after(() => http.close(0))
  http.server.headersTimeout = 50
  const { status, body } = await raw(port, 'GET / HTTP/1.1\r\nHost')
  assert.equal(status, 408)
  assert.equal(JSON.parse(body).error, 'REQUEST_TIMEOUT')
})

test('a body that arrives a byte at a time is 408 once the time of a request is over', async (t) => {
  const { http, port } = await opened((incoming, response) => void incoming.resume().on('end', () => response.end()))
  t.after(() => http.close(0))
  http.server.requestTimeout = 200
  const socket = connect(port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n')
  const drip = setInterval(() => socket.writable && socket.write('a'), 20)
  const answer = await text(socket)
  clearInterval(drip)
  assert.match(answer, /^HTTP\/1\.1 408 /)
})

test('a response that is never read is given up, and its memory with it', async (t) => {
  const closed = Promise.withResolvers<void>()
  const { http, port } = await opened((_request, response) => {
    response.once('close', closed.resolve)
    response.end(Buffer.alloc(32 * 1024 * 1024))
  })
  t.after(() => http.close(0))
  http.server.timeout = 100
  const socket = connect(port, '127.0.0.1').pause()
  socket.on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await closed.promise
  socket.destroy()
})

test('a port in use rejects with one sentence', async (t) => {
  const other = createHttpServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  t.after(() => other.close())
  const { port } = other.address() as { port: number }
  const http = openHttpServer(hello)
  await assert.rejects(http.listen('127.0.0.1', port), {
    message: `Port ${port} on 127.0.0.1 is in use. Stop the process that listens there, or choose another port with --port.`,
  })
  await assert.rejects(http.listen('192.0.2.1', 0), /cannot listen on 192\.0\.2\.1/)
})

test('the request handler can be replaced while the server runs', async (t) => {
  const { http, port } = await opened((_request, response) => sendFault(response, fault('overloaded')))
  t.after(() => http.close(0))
  assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 503)
  http.setAnswer(hello)
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'hello')
})

test('closing finishes open requests, accepts no new connections, and closes idle ones', async () => {
  let finish = () => {}
  const { http, port } = await opened((_request, response) => {
    finish = () => response.end('done')
  })
  const answered = new Promise<string>((resolve) =>
    get({ port, host: '127.0.0.1', agent: false }, async (response) => resolve(await text(response))),
  )
  await new Promise((resolve) => http.server.once('request', resolve))
  const closed = http.close(10_000)
  await assert.rejects(fetch(`http://127.0.0.1:${port}/`))
  finish()
  assert.equal(await answered, 'done')
  await closed
})

test('closing cuts off requests that do not end in time', async () => {
  const { http, port } = await opened(() => {})
  const cut = fetch(`http://127.0.0.1:${port}/`).then(
    () => 'answered',
    () => 'cut',
  )
  await new Promise((resolve) => http.server.once('request', resolve))
  await http.close(20)
  assert.equal(await cut, 'cut')
})

test('a request on an open connection during closing is answered with Connection: close', async () => {
  const { http, port } = await opened()
  const socket = connect(port, '127.0.0.1')
  const ask = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
  socket.write(ask)
  await new Promise((resolve) => socket.once('data', resolve))
  const closed = http.close(10_000)
  socket.write(ask)
  assert.match(await text(socket), /^HTTP\/1\.1 200 OK\r\n(.+\r\n)*Connection: close\r\n/i)
  await closed
})

test('connections that wait to be accepted when closing starts are answered', async () => {
  const { http, port } = await opened()
  const pendingResponses = Array.from({ length: 100 }, () => raw(port, request('')))
  await Promise.race(pendingResponses)
  const closed = http.close(10_000)
  const statuses = (await Promise.all(pendingResponses)).map(({ status }) => status)
  assert.deepEqual([...new Set(statuses)], [200])
  await closed
})

test('a late connection is answered while other connections still arrive', async () => {
  const { http, port } = await opened()
  const ask = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
  const sockets = Array.from({ length: 6 }, () => connect(port, '127.0.0.1'))
  for (const socket of sockets) {
    socket.write(ask)
    await new Promise((resolve) => socket.once('data', resolve))
  }
  const closed = http.close(10_000)
  for (const [n, socket] of sockets.entries()) {
    const startedAt = performance.now()
    await until('some time has gone by', () => n === 0 || performance.now() > startedAt + 250)
    socket.write(ask)
    assert.match(await text(socket), /^HTTP\/1\.1 200 OK\r\n/, `caller ${n}`)
  }
  await closed
})
