import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { event, openTestEdge, snapshot, type TestRequest, tagId } from './edge.fixture.ts'

const mebibyte = 1024 * 1024

describe('an address', () => {
  test('that is not below a tag URL is not handled by the edge', async (t) => {
    const edge = await openTestEdge(t)
    for (const path of ['/', '/v1/me', '/t', '/tag', '/sandbox/t/x/tag', '/T/x/tag'])
      assert.equal((await edge.ask({ path, method: 'GET' })).status, 418, path)
  })

  test('of an unknown tag is 404 TAG_UNKNOWN, whatever its path', async (t) => {
    const edge = await openTestEdge(t)
    for (const path of ['/t/', '/t/tag_x', '/t/tag_x/tag', '/t/tag_x/other', '/t//tag', '/t/?', '/t/__proto__/tag'])
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { status, json } = await edge.ask({ path, method })
        assert.deepEqual([status, json.error, json.statusCode], [404, 'TAG_UNKNOWN', 404], path)
      }
  })

  test('below a tag URL with an unknown path is 404', async (t) => {
    const edge = await openTestEdge(t)
    for (const rest of ['', '/', '/tag/', '/tags', '/Tag', '/tag/x', '/constructor', '?x=/tag']) {
      const { status, json } = await edge.ask({ path: `/t/${tagId}${rest}`, body: event() })
      assert.deepEqual([status, json.error], [404, 'NOT_FOUND'], rest)
    }
  })

  test('of one environment does not serve the tags of another', async (t) => {
    const edge = await openTestEdge(t, { deps: { prefix: '/sandbox/t/', environment: 'sandbox' } })
    assert.equal((await edge.ask({ path: `/sandbox/t/${tagId}/tag`, body: event() })).status, 200)
    assert.equal((await edge.ask({ path: `/t/${tagId}/tag`, body: event() })).status, 418)
  })

  test('may carry a query', async (t) => {
    const edge = await openTestEdge(t)
    assert.equal((await edge.ask({ path: `/t/${tagId}/tag?a=/b?c`, body: event() })).status, 200)
  })
})

describe('a method', () => {
  test('that the route does not support is 405 with Allow', async (t) => {
    const edge = await openTestEdge(t)
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD']) {
      const { status, headers, json } = await edge.ask({ method })
      assert.deepEqual([status, headers.allow], [405, 'POST, OPTIONS'], method)
      if (method !== 'HEAD') assert.equal(json.error, 'METHOD_NOT_ALLOWED')
    }
  })

  test('HEAD is answered where GET is, with the headers of GET and no body', async (t) => {
    const edge = await openTestEdge(t)
    for (const path of ['/init', '/data?keys=size', '/keys']) {
      const get = await edge.ask({ method: 'GET', path: `/t/${tagId}${path}` })
      const head = await edge.ask({ method: 'HEAD', path: `/t/${tagId}${path}` })
      assert.deepEqual([head.status, head.text], [get.status, ''], path)
      assert.equal(head.headers['content-type'], get.headers['content-type'], path)
    }
    const options = await edge.ask({ method: 'OPTIONS', path: `/t/${tagId}/data` })
    assert.deepEqual([options.status, options.headers.allow], [204, 'POST, GET, HEAD, OPTIONS'])
  })

  test('GET with a body is 405 with a message that says what to do', async (t) => {
    const edge = await openTestEdge(t)
    const { status, json } = await edge.ask({ method: 'GET', body: event() })
    assert.deepEqual([status, json.message], [405, 'A GET request must not have a body. Send the body with POST.'])
    assert.equal(edge.appended.length, 0)
  })
})

describe('a body', () => {
  test('is accepted as application/json, as text/plain, which beacons send, or without a type', async (t) => {
    const edge = await openTestEdge(t)
    for (const type of [
      'application/json',
      'Application/JSON; charset=UTF-8',
      'application/json; v=1',
      'text/plain;charset="utf-8"',
      'text/plain',
    ]) {
      const { status } = await edge.ask({ body: event(), headers: { 'content-type': type } })
      assert.equal(status, 200, type)
    }
    const body = JSON.stringify(event())
    const raw = `POST /t/${tagId}/tag HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`
    assert.match(await sendRaw(edge.port, raw), /^HTTP\/1.1 200 /)
  })

  test('of another content type, charset or encoding is 415', async (t) => {
    const edge = await openTestEdge(t)
    const form = 'application/x-www-form-urlencoded'
    for (const type of [
      form,
      'application/jsonp',
      'text/html',
      '',
      'application/json; charset=latin1',
      'multipart/form-data; boundary=application/json',
    ]) {
      const { status, json } = await edge.ask({ body: event(), headers: { 'content-type': type } })
      assert.deepEqual([status, json.error], [415, 'CONTENT_TYPE_REFUSED'], type)
    }
    const { status, headers } = await edge.ask({ body: event(), headers: { 'content-encoding': 'br' } })
    assert.deepEqual([status, headers['accept-encoding']], [415, 'gzip, identity'])
  })

  test('of gzip is read, also by its old name, and a byte order mark is not stored', async (t) => {
    const edge = await openTestEdge(t)
    const marked = Buffer.from(`\ufeff${JSON.stringify(event())}`)
    for (const [coding, body] of [['gzip', gzipSync(marked)] as const, ['X-GZip', gzipSync(marked)] as const]) {
      const { status } = await edge.ask({ body, headers: { 'content-encoding': coding } })
      assert.deepEqual([status, edge.lastRecord().body], [200, event()])
    }
    assert.equal((await edge.ask({ body: marked })).status, 200)
    assert.deepEqual(edge.lastRecord().body, event())
  })

  test('that is missing, empty or broken is 400', async (t) => {
    const edge = await openTestEdge(t)
    for (const call of [{}, { body: '' }, { body: '{"a":' }, { body: Buffer.from([0xff]) }] as TestRequest[]) {
      const { status, json } = await edge.ask(call)
      assert.deepEqual([status, json.error], [400, 'JSON_BROKEN'])
    }
  })

  test('of one mebibyte is read, and of one byte more is 413 and ends the connection', async (t) => {
    const edge = await openTestEdge(t)
    const events = Array.from({ length: 20 }, (_, at) => event({ eventId: `e-${at}`, filler: 'x'.repeat(52_000) }))
    const text = JSON.stringify(events)
    const full = text + ' '.repeat(mebibyte - text.length)
    assert.equal((await edge.ask({ body: full })).status, 200)
    const { status, headers, json } = await edge.ask({ body: `${full} ` })
    assert.deepEqual([status, json.error, headers.connection], [413, 'BODY_TOO_LARGE', 'close'])
    assert.equal(edge.appended.length, 1)
  })

  test('that is too large without a Content-Length is 413 as soon as the limit is passed, and the sender reads the response', async (t) => {
    const edge = await openTestEdge(t)
    const { status, json } = await edge.ask({
      body: Buffer.alloc(3 * mebibyte, 32),
      headers: { 'transfer-encoding': 'chunked' },
    })
    assert.deepEqual([status, json.error], [413, 'BODY_TOO_LARGE'])
  })

  test('that never ends is answered 413 and cut off', async (t) => {
    const edge = await openTestEdge(t)
    const socket = connect(edge.port, '127.0.0.1')
    const received: Buffer[] = []
    socket.on('data', (chunk) => received.push(chunk))
    socket.on('error', () => {}) // the connection may end with a reset
    socket.write(`POST /t/${tagId}/tag HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`)
    const chunk = `${mebibyte.toString(16)}\r\n${' '.repeat(mebibyte)}\r\n`
    const pour = () => void (socket.writable && socket.write(chunk, pour))
    pour()
    await new Promise((resolve) => socket.on('close', resolve))
    assert.match(`${Buffer.concat(received)}`, /^HTTP\/1.1 413 /)
  })

  test('of gzip is 413 when it decompresses to more than a mebibyte, and 400 when it is not valid gzip', async (t) => {
    const edge = await openTestEdge(t)
    const headers = { 'content-encoding': 'gzip' }
    const bomb = gzipSync(Buffer.alloc(20 * mebibyte, 32))
    assert.equal((await edge.ask({ body: bomb, headers })).json.error, 'BODY_TOO_LARGE')
    assert.equal((await edge.ask({ body: 'no gzip', headers })).json.error, 'JSON_BROKEN')
    assert.equal((await edge.ask({ body: bomb.subarray(0, 1_000), headers })).json.error, 'JSON_BROKEN')
  })

  test('whose sender disconnects half way is not stored and logs nothing', async (t) => {
    const edge = await openTestEdge(t)
    const socket = connect(edge.port, '127.0.0.1')
    socket.write(`POST /t/${tagId}/tag HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{"eventName"`)
    await once(socket, 'connect')
    socket.destroy()
    assert.equal((await edge.ask({ body: event() })).status, 200)
    assert.deepEqual([edge.appended.length, edge.lines.length], [1, 0])
  })
})

describe('the edge', () => {
  test('answers 503 with Retry-After before it reads the body, while it is overloaded', async (t) => {
    const edge = await openTestEdge(t, { deps: { retryAfterSeconds: () => 2.5 } })
    const raw = `POST /t/${tagId}/tag HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\nconnection: close\r\n\r\n`
    const answer = await sendRaw(edge.port, raw)
    assert.match(answer, /^HTTP\/1.1 503 /)
    assert.match(answer, /\r\nretry-after: 3\r\n/i)
    assert.match(answer, /"error":"OVERLOADED"/)
  })

  test('answers an unexpected exception with 500 without details, and logs it', async (t) => {
    const none = { all: () => [], pausedScripts: () => [] }
    const live = { ...none, put() {}, drop() {}, isPaused: () => false, setPaused() {} }
    const snapshots = { ...live, byHost: () => undefined, get: () => snapshot({ teamId: 'team_unknown' }) }
    const edge = await openTestEdge(t, { deps: { snapshots } })
    const { status, json, text } = await edge.ask({ body: event({ userEmail: 'jane@example.com' }) })
    assert.deepEqual([status, json.error], [500, 'INTERNAL'])
    assert.ok(!text.includes('team_unknown') && !text.includes('stack'))
    assert.ok(edge.lines[0]?.error instanceof Error)
    assert.ok(!JSON.stringify(edge.lines).includes('jane'))
  })

  test('serves one request after another on a connection, also after a refusal', async (t) => {
    const edge = await openTestEdge(t)
    const body = JSON.stringify(event())
    const head = (more = '') =>
      `POST /t/${tagId}/tag HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}${more}\r\n\r\n${body}`
    const refused = head('\r\norigin: https://evil.test')
    const answers = await sendRaw(edge.port, refused + head() + head('\r\nconnection: close'))
    assert.deepEqual(answers.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 403', 'HTTP/1.1 200', 'HTTP/1.1 200'])
  })

  test('answers with a JSON content type and nosniff', async (t) => {
    const edge = await openTestEdge(t)
    for (const call of [{ body: event() }, { body: '{' }, { path: '/t/x' }] as TestRequest[]) {
      const { headers } = await edge.ask(call)
      assert.equal(headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(headers['x-content-type-options'], 'nosniff')
    }
  })
})

/** Returns everything that the server sends until it closes the connection. */
async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(text)
  return (await socket.setEncoding('utf8').toArray()).join('')
}
