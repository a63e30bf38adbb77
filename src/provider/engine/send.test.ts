import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { openSender, type SendOptions, type SendResult } from './send.ts'
import { toWireRequest } from './toWireRequest.ts'
import { hopHeader } from './wireRequest.ts'

type Context = { after(fn: () => unknown): void }
type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: string; from: number }

/** An HTTP server on loopback that records its requests. */
async function vendor(t: Context, answer: RequestListener = (_, response) => void response.end()) {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers, socket } = request
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString(), from: socket.remotePort ?? 0 })
      answer(request, response)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** A TCP server that handles each connection with the given function. */
async function socketServer(t: Context, meet: (socket: Socket) => void) {
  const open = new Set<Socket>()
  const server = createSocketServer((socket) => {
    open.add(socket.on('error', () => {}))
    meet(socket)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function closedPort() {
  const server = createSocketServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return `http://127.0.0.1:${port}`
}

const development = { allowPrivate: true, outboundPorts: [] }

function sender(t: Context, options: Partial<SendOptions> = {}) {
  const send = openSender({ ...development, ...options })
  t.after(send.close)
  return send
}

const post = (url: string, body = '{}') => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json' },
  body,
})

function responseOf(answer: SendResult): Exclude<SendResult, { failed: string }> {
  assert.ok('status' in answer, JSON.stringify(answer))
  return answer
}
function failed(answer: SendResult): [string, string] {
  assert.ok('failed' in answer, JSON.stringify(answer))
  assert.doesNotMatch(answer.message, /\d+\.\d+\.\d+|localhost|:\d{2,5}/, 'no address in a message')
  return [answer.failed, answer.message]
}

test('the file of the connector has what the package exports, so that the package need not be loaded', () => {
  const load = createRequire(import.meta.url)
  assert.ok(load('undici/lib/core/connect.js') === load('undici').buildConnector)
})

test('a request arrives as it was described, and its answer is kept', async (t) => {
  const { seen, origin } = await vendor(t, (_, response) => {
    response.writeHead(202, { 'x-Trace': 'abc', 'set-cookie': ['a=1', 'b=2'] }).end('{"ok":true}')
  })
  const answer = responseOf(await sender(t)(post(`${origin}/in?key=1#part`, '{"a":"ü"}'), 'customer'))
  assert.equal(answer.status, 202)
  assert.equal(answer.body, '{"ok":true}')
  assert.equal(answer.headers['x-trace'], 'abc')
  assert.equal(answer.headers['set-cookie'], 'a=1, b=2')
  assert.ok(answer.durationMs >= 0)
  assert.deepEqual([seen[0]!.method, seen[0]!.url, seen[0]!.body], ['POST', '/in?key=1', '{"a":"ü"}'])
  assert.equal(seen[0]!.headers['content-type'], 'application/json')
  assert.equal(seen[0]!.headers['content-length'], '10')
})

test('only a host that the customer sets gets the hop count of the request', async (t) => {
  const { seen, origin } = await vendor(t)
  const send = sender(t)
  for (const host of ['customer', 'tenant', 'label', 'fixed'] as const) await send(post(origin), host)
  assert.deepEqual(
    seen.map(({ headers }) => headers[hopHeader]),
    ['1', '1', undefined, undefined],
  )
})

test('connections to an origin are used again', async (t) => {
  const { seen, origin } = await vendor(t)
  const send = sender(t)
  for (let i = 0; i < 20; i++) responseOf(await send(post(origin), 'customer'))
  assert.ok(new Set(seen.map(({ from }) => from)).size < 20)
})

test('any status is an answer, a redirect is not followed', async (t) => {
  const { seen, origin } = await vendor(t, ({ url }, response) => {
    response.writeHead(Number(url!.slice(1)), { location: '/200' }).end()
  })
  const send = sender(t)
  for (const status of [204, 301, 302, 307, 308, 400, 401, 403, 404, 429, 500, 503])
    assert.equal(responseOf(await send(post(`${origin}/${status}`), 'customer')).status, status)
  assert.equal(seen.length, 12)
})

test('of a huge answer 64 KiB are kept and 1 MiB is read', async (t) => {
  let written = 0
  const { origin } = await vendor(t, (_, response) => {
    response.writeHead(500)
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) written += 65_536
    }
    response.on('drain', more)
    more()
  })
  const answer = responseOf(await sender(t)(post(origin), 'customer'))
  assert.equal(answer.status, 500)
  assert.equal(answer.body.length, 64 * 1024)
  assert.ok(written < 64 * 1024 * 1024, 'the reading ended')
})

test('an answer that does not come in time, or trickles, ends the attempt', async (t) => {
  const { origin } = await vendor(t, ({ url }, response) => {
    if (url === '/headers') return
    response.writeHead(200)
    const trickle = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(trickle))
  })
  const send = sender(t, { limits: { totalMs: 150 } })
  for (const path of ['/headers', '/body'])
    assert.deepEqual(failed(await send(post(origin + path), 'customer')), ['timeout', 'No response in time.'])
})

test('the time runs while a request waits for its connection', async (t) => {
  const send = sender(t, { limits: { totalMs: 50, connectMs: 60_000 }, resolve: () => new Promise(() => {}) })
  const never = await send(post('http://never.example'), 'customer')
  assert.deepEqual(failed(never), ['timeout', 'No response in time.'])
})

test('headers have a limit of their own', async (t) => {
  const { origin } = await vendor(t, () => {})
  const send = sender(t, { limits: { headersMs: 50, totalMs: 60_000 } })
  assert.equal(failed(await send(post(origin), 'customer'))[0], 'timeout')
})

test('a connection that breaks off before, in or after the headers is a failure, not a throw', async (t) => {
  const send = sender(t)
  const meets: ((socket: Socket) => void)[] = [
    (socket) => socket.destroy(),
    (socket) => socket.once('data', () => socket.resetAndDestroy()),
    (socket) => socket.once('data', () => socket.end('HTTP/1.1 200')),
    (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')),
    (socket) => socket.once('data', () => socket.end('this is no HTTP at all\r\n\r\n')),
    (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n')),
    (socket) => socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`)),
  ]
  for (const meet of meets) assert.equal(failed(await send(post(await socketServer(t, meet)), 'customer'))[0], 'broken')
})

test('a closed port, an unknown host name and an invalid certificate have different errors', async (t) => {
  const { origin } = await vendor(t)
  const gone = await closedPort()
  const resolve = (name: string) =>
    name === 'dev.example' ? Promise.resolve(['127.0.0.1']) : Promise.reject(new Error())
  const send = sender(t, { resolve })
  assert.deepEqual(failed(await send(post(gone), 'customer')), ['connect', 'The connection failed (ECONNREFUSED).'])
  assert.equal(failed(await send(post(gone), 'fixed'))[0], 'connect')
  assert.deepEqual(failed(await send(post('http://unknown.example'), 'customer')), [
    'resolve',
    'The host name did not resolve.',
  ])
  assert.match(failed(await send(post(origin.replace('http:', 'https:')), 'customer'))[0], /connect|broken/)
  responseOf(await send(post(origin.replace('127.0.0.1', 'dev.example')), 'customer'))
})

test('what cannot be a request fails without one', async (t) => {
  const { seen, origin } = await vendor(t)
  const send = sender(t)
  assert.equal(failed(await send({ ...post(origin), headers: { 'x-a': 'b\r\nc: d' } }, 'customer'))[0], 'broken')
  assert.equal(failed(await send({ ...post(origin), headers: { 'bad name': 'x' } }, 'fixed'))[0], 'broken')
  assert.equal(failed(await send(post('no address'), 'fixed'))[0], 'broken')
  assert.equal(seen.length, 0)
})

test('outside development every denial reads the same and reaches nobody', async (t) => {
  const { seen, origin } = await vendor(t)
  const port = new URL(origin).port
  const send = sender(t, { allowPrivate: false, outboundPorts: [Number(port)], resolve: async () => ['127.0.0.1'] })
  const denied = ['denied', 'This address is not allowed.']
  for (const url of [
    origin,
    `https://127.0.0.1:${port}`,
    `https://inside.example:${port}`,
    'http://example.com',
    'nothing',
  ])
    for (const host of ['customer', 'tenant', 'label'] as const)
      assert.deepEqual(failed(await send(post(url), host)), denied, url)
  assert.equal(seen.length, 0)
})

test('the one address that is allowed exactly passes outside development, its neighbours do not', async (t) => {
  const { seen, origin } = await vendor(t)
  const inbox = `${origin}/demo/inbox/abc`
  const send = sender(t, { allowPrivate: false, exactAllowed: [inbox] })
  assert.equal(responseOf(await send(post(inbox), 'customer')).status, 200)
  for (const url of [`${inbox}/x`, `${inbox}?x`, origin])
    assert.equal(failed(await send(post(url), 'customer'))[0], 'denied')
  assert.equal(failed(await send(post(inbox), 'label'))[0], 'denied')
  assert.equal(seen[0]!.headers[hopHeader], '1')
  assert.equal(seen.length, 1)
})

test('with a vendors URL, requests of catalogue providers go there with the same path and query and name the original host', async (t) => {
  const { seen, origin } = await vendor(t)
  const other = await vendor(t)
  const send = sender(t, { vendorsUrl: `${origin}/fake/` })
  responseOf(await send(post('https://graph.facebook.com/v25.0/1/events?x=1'), 'fixed'))
  responseOf(await send(post('https://eu.label.example:8443/p'), 'label'))
  responseOf(await send(post('https://rest.tenant.example/track'), 'tenant'))
  responseOf(await send(post(`${other.origin}/own`), 'customer'))
  assert.deepEqual(
    seen.map(({ url, headers }) => [url, headers['x-aglet-host']]),
    [
      ['/fake/v25.0/1/events?x=1', 'graph.facebook.com'],
      ['/fake/p', 'eu.label.example:8443'],
      ['/fake/track', 'rest.tenant.example'],
    ],
  )
  assert.equal(other.seen.length, 1)
  assert.equal(other.seen[0]!.headers['x-aglet-host'], undefined)
})

test('one origin that hangs does not hold up another', async (t) => {
  const hanging = await vendor(t, () => {})
  const healthy = await vendor(t)
  const send = sender(t, { limits: { totalMs: 500 } })
  const waiting = Array.from({ length: 50 }, () => send(post(hanging.origin), 'customer'))
  let settled = false
  void Promise.race(waiting).then(() => {
    settled = true
  })
  for (let i = 0; i < 20; i++) responseOf(await send(post(healthy.origin), 'customer'))
  assert.equal(settled, false)
  for (const answer of await Promise.all(waiting)) assert.equal(failed(answer)[0], 'timeout')
})

test('a body is compressed when it is sent, and its length is that of the compressed body', async (t) => {
  const received = Promise.withResolvers<{ body: Buffer; headers: IncomingHttpHeaders }>()
  const server = createServer(async (request, response) => {
    received.resolve({ body: await buffer(request), headers: request.headers })
    response.end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  t.after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const json = { text: 'x'.repeat(10_000) }
  responseOf(await sender(t)(toWireRequest({ url, json, gzip: true }, 0), 'fixed'))
  const { body, headers } = await received.promise
  assert.deepEqual(JSON.parse(gunzipSync(body).toString()), json)
  assert.ok(body.length < 1_000)
  assert.deepEqual([headers['content-encoding'], headers['content-length']], ['gzip', String(body.length)])
})
