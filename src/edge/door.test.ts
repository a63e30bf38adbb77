import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Asked, event, openDoor, snapshot, tagId } from './edge.fixture.ts'

const mebibyte = 1024 * 1024

describe('an address', () => {
  test('that is not below the tag URLs is left to somebody else', async (t) => {
    const door = await openDoor(t)
    for (const path of ['/', '/v1/me', '/t', '/tag', '/sandbox/t/x/tag', '/T/x/tag'])
      assert.equal((await door.ask({ path, method: 'GET' })).status, 418, path)
  })

  test('of a tag that does not exist is 404 TAG_UNKNOWN, whatever is called', async (t) => {
    const door = await openDoor(t)
    for (const path of ['/t/', '/t/tag_x', '/t/tag_x/tag', '/t/tag_x/other', '/t//tag', '/t/?', '/t/__proto__/tag'])
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const { status, json } = await door.ask({ path, method })
        assert.deepEqual([status, json.error, json.statusCode], [404, 'TAG_UNKNOWN', 404], path)
      }
  })

  test('below a tag URL that is no call is 404', async (t) => {
    const door = await openDoor(t)
    for (const rest of ['', '/', '/tag/', '/tags', '/Tag', '/tag/x', '/constructor', '?x=/tag']) {
      const { status, json } = await door.ask({ path: `/t/${tagId}${rest}`, body: event() })
      assert.deepEqual([status, json.error], [404, 'NOT_FOUND'], rest)
    }
  })

  test('of one environment does not know the tags of another', async (t) => {
    const door = await openDoor(t, { on: { prefix: '/sandbox/t/', environment: 'sandbox' } })
    assert.equal((await door.ask({ path: `/sandbox/t/${tagId}/tag`, body: event() })).status, 200)
    assert.equal((await door.ask({ path: `/t/${tagId}/tag`, body: event() })).status, 418)
  })

  test('may carry a query', async (t) => {
    const door = await openDoor(t)
    assert.equal((await door.ask({ path: `/t/${tagId}/tag?a=/b?c`, body: event() })).status, 200)
  })
})

describe('a method', () => {
  test('that the call does not take is 405 with Allow', async (t) => {
    const door = await openDoor(t)
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD']) {
      const { status, headers, json } = await door.ask({ method })
      assert.deepEqual([status, headers.allow], [405, 'POST, OPTIONS'], method)
      if (method !== 'HEAD') assert.equal(json.error, 'METHOD_NOT_ALLOWED')
    }
  })

  test('GET with a body is refused with a sentence', async (t) => {
    const door = await openDoor(t)
    const { status, json } = await door.ask({ method: 'GET', body: event() })
    assert.deepEqual([status, json.message], [405, 'A GET has no body: send it by POST.'])
    assert.equal(door.kept.length, 0)
  })
})

describe('a body', () => {
  test('is JSON, said so, called text as beacons do, or not called anything', async (t) => {
    const door = await openDoor(t)
    for (const type of [
      'application/json',
      'Application/JSON; charset=UTF-8',
      'application/json; v=1',
      'text/plain;charset="utf-8"',
      'text/plain',
    ]) {
      const { status } = await door.ask({ body: event(), headers: { 'content-type': type } })
      assert.equal(status, 200, type)
    }
    const body = JSON.stringify(event())
    const raw = `POST /t/${tagId}/tag HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`
    assert.match(await sendRaw(door.port, raw), /^HTTP\/1.1 200 /)
  })

  test('of another content type, charset or encoding is 415', async (t) => {
    const door = await openDoor(t)
    const form = 'application/x-www-form-urlencoded'
    for (const type of [
      form,
      'application/jsonp',
      'text/html',
      '',
      'application/json; charset=latin1',
      'multipart/form-data; boundary=application/json',
    ]) {
      const { status, json } = await door.ask({ body: event(), headers: { 'content-type': type } })
      assert.deepEqual([status, json.error], [415, 'CONTENT_TYPE_REFUSED'], type)
    }
    const { status } = await door.ask({ body: event(), headers: { 'content-encoding': 'br' } })
    assert.equal(status, 415)
  })

  test('that is missing, empty or broken is 400', async (t) => {
    const door = await openDoor(t)
    for (const asked of [{}, { body: '' }, { body: '{"a":' }, { body: Buffer.from([0xff]) }] as Asked[]) {
      const { status, json } = await door.ask(asked)
      assert.deepEqual([status, json.error], [400, 'JSON_BROKEN'])
    }
  })

  test('of one mebibyte is read, and of one byte more is 413 and ends the connection', async (t) => {
    const door = await openDoor(t)
    const events = Array.from({ length: 20 }, (_, at) => event({ eventId: `e-${at}`, filler: 'x'.repeat(52_000) }))
    const text = JSON.stringify(events)
    const full = text + ' '.repeat(mebibyte - text.length)
    assert.equal((await door.ask({ body: full })).status, 200)
    const { status, headers, json } = await door.ask({ body: `${full} ` })
    assert.deepEqual([status, json.error, headers.connection], [413, 'BODY_TOO_LARGE', 'close'])
    assert.equal(door.kept.length, 1)
  })

  test('that is too large without saying so is 413 as soon as it is, and the sender hears it', async (t) => {
    const door = await openDoor(t)
    const { status, json } = await door.ask({
      body: Buffer.alloc(3 * mebibyte, 32),
      headers: { 'transfer-encoding': 'chunked' },
    })
    assert.deepEqual([status, json.error], [413, 'BODY_TOO_LARGE'])
  })

  test('that never ends is answered 413 and cut off', async (t) => {
    const door = await openDoor(t)
    const socket = connect(door.port, '127.0.0.1')
    const said: Buffer[] = []
    socket.on('data', (chunk) => said.push(chunk))
    socket.on('error', () => {}) // the cut may come as a reset
    socket.write(`POST /t/${tagId}/tag HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n`)
    const chunk = `${mebibyte.toString(16)}\r\n${' '.repeat(mebibyte)}\r\n`
    const pour = () => void (socket.writable && socket.write(chunk, pour))
    pour()
    await new Promise((resolve) => socket.on('close', resolve))
    assert.match(`${Buffer.concat(said)}`, /^HTTP\/1.1 413 /)
  })

  test('packed by gzip is 413 when it unpacks to more than a mebibyte, and 400 when it does not unpack', async (t) => {
    const door = await openDoor(t)
    const headers = { 'content-encoding': 'gzip' }
    const bomb = gzipSync(Buffer.alloc(20 * mebibyte, 32))
    assert.equal((await door.ask({ body: bomb, headers })).json.error, 'BODY_TOO_LARGE')
    assert.equal((await door.ask({ body: 'no gzip', headers })).json.error, 'JSON_BROKEN')
    assert.equal((await door.ask({ body: bomb.subarray(0, 1_000), headers })).json.error, 'JSON_BROKEN')
  })

  test('whose sender hangs up half way leaves nothing behind', async (t) => {
    const door = await openDoor(t)
    const socket = connect(door.port, '127.0.0.1')
    socket.write(`POST /t/${tagId}/tag HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{"eventName"`)
    await once(socket, 'connect')
    socket.destroy()
    assert.equal((await door.ask({ body: event() })).status, 200)
    assert.deepEqual([door.kept.length, door.lines.length], [1, 0])
  })
})

describe('the door', () => {
  test('while it is busy answers 503 with Retry-After before it reads the body', async (t) => {
    const door = await openDoor(t, { on: { busy: () => 2.5 } })
    const raw = `POST /t/${tagId}/tag HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\nconnection: close\r\n\r\n`
    const answer = await sendRaw(door.port, raw)
    assert.match(answer, /^HTTP\/1.1 503 /)
    assert.match(answer, /\r\nretry-after: 3\r\n/i)
    assert.match(answer, /"error":"OVERLOADED"/)
  })

  test('answers a bug by 500 without details, and logs it', async (t) => {
    const live = { put() {}, drop() {}, isPaused: () => false }
    const snapshots = { ...live, ofHost: () => undefined, get: () => snapshot({ teamId: 'team_unknown' }) }
    const door = await openDoor(t, { on: { snapshots } })
    const { status, json, text } = await door.ask({ body: event({ userEmail: 'jane@example.com' }) })
    assert.deepEqual([status, json.error], [500, 'INTERNAL'])
    assert.ok(!text.includes('team_unknown') && !text.includes('stack'))
    assert.ok(door.lines[0]?.error instanceof Error)
    assert.ok(!JSON.stringify(door.lines).includes('jane'))
  })

  test('serves one request after another on a connection, also after a refusal', async (t) => {
    const door = await openDoor(t)
    const body = JSON.stringify(event())
    const head = (more = '') =>
      `POST /t/${tagId}/tag HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}${more}\r\n\r\n${body}`
    const refused = head('\r\norigin: https://evil.test')
    const answers = await sendRaw(door.port, refused + head() + head('\r\nconnection: close'))
    assert.deepEqual(answers.match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 403', 'HTTP/1.1 200', 'HTTP/1.1 200'])
  })

  test('answers in JSON that no browser takes for something else', async (t) => {
    const door = await openDoor(t)
    for (const asked of [{ body: event() }, { body: '{' }, { path: '/t/x' }] as Asked[]) {
      const { headers } = await door.ask(asked)
      assert.equal(headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(headers['x-content-type-options'], 'nosniff')
    }
  })
})

/** Everything that comes back until the other end closes. */
async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(text)
  return (await socket.setEncoding('utf8').toArray()).join('')
}
