import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openSender, type SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { fetchLimits, guardedFetch, readFetch, redirected } from './fetch.ts'
import type { FetchRequest } from './job.ts'

const asked: FetchRequest = { url: 'https://a.example/x', method: 'GET', headers: [], body: null, redirect: 'follow' }
const answer = (status: number, headers: Record<string, string> = {}, body = ''): SendResult => ({
  status,
  headers,
  body,
  durationMs: 1,
})

/** A `send` that gives these answers in order, and what it was asked. */
function scripted(...answers: SendResult[]) {
  const seen: WireRequest[] = []
  const send = async (request: WireRequest) => {
    seen.push(request)
    return answers[Math.min(seen.length, answers.length) - 1]!
  }
  return { fetch: guardedFetch(send), seen }
}

test('at most three redirects are followed, and the answer names where it came from', async () => {
  const to = (n: number) => answer(302, { location: `/${n}` })
  const three = scripted(to(1), to(2), to(3), answer(200, {}, 'there'))
  assert.deepEqual(await three.fetch(asked), { url: 'https://a.example/3', status: 200, headers: {}, body: 'there' })
  await assert.rejects(scripted(to(1)).fetch(asked), /too many redirects/)
})

test('authorization and cookies do not go to another origin', async () => {
  const headers = [
    ['Authorization', 'Bearer x'],
    ['cookie', 'a=b'],
    ['x-mine', '1'],
  ] as const
  const { fetch, seen } = scripted(
    answer(307, { location: '/same' }),
    answer(307, { location: 'https://b.example/' }),
    answer(200),
  )
  await fetch({ ...asked, headers })
  assert.deepEqual(seen[1]!.headers, { authorization: 'Bearer x', cookie: 'a=b', 'x-mine': '1' })
  assert.deepEqual(seen[2]!.headers, { 'x-mine': '1' })
})

test('a POST that is told to look elsewhere becomes a GET without its body; 307 and 308 keep both', () => {
  const post = { url: 'https://a.example/', method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }
  for (const status of [301, 302, 303])
    assert.deepEqual(redirected(post, status, '/y'), { url: 'https://a.example/y', method: 'GET', headers: {} })
  for (const status of [307, 308])
    assert.deepEqual(redirected(post, status, '/y'), { ...post, url: 'https://a.example/y' })
  assert.equal(redirected(post, 200, '/y'), undefined)
  assert.equal(redirected(post, 302, undefined), undefined)
})

test('redirects are handed out or refused where the code asks for that', async () => {
  const away = answer(302, { location: 'https://b.example/' })
  assert.equal((await scripted(away).fetch({ ...asked, redirect: 'manual' })).status, 302)
  await assert.rejects(scripted(away).fetch({ ...asked, redirect: 'error' }), /was a redirect/)
})

test('headers that carry the message itself are not the code’s to set', async () => {
  const { fetch, seen } = scripted(answer(200))
  const names = [
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'X-Aglet-Hop',
    'Proxy-Authorization',
    'x-mine',
  ]
  await fetch({ ...asked, headers: names.map((name) => [name, '1'] as const) })
  assert.deepEqual(seen[0]!.headers, { 'x-mine': '1' })
})

test('what a child asks for is read strictly', () => {
  assert.deepEqual(readFetch(asked), asked)
  const bad = [
    undefined,
    {},
    { ...asked, url: 1 },
    { ...asked, method: 'CONNECT' },
    { ...asked, headers: {} },
    { ...asked, headers: [['a']] },
    { ...asked, headers: [['a', 1]] },
    { ...asked, body: {} },
    { ...asked, redirect: 'x' },
    { ...asked, body: 'x'.repeat(1024 * 1024 + 1) },
  ]
  for (const value of bad) assert.throws(() => readFetch(value))
})

test('through the outbound guard no private address is reached, and every denial reads the same', async (t) => {
  let reached = 0
  const server = createServer((_, response) => {
    reached++
    response.end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const hosts = async () => ['127.0.0.1']
  const send = openSender({ allowPrivate: false, outboundPorts: [port], resolve: hosts, limits: fetchLimits })
  t.after(async () => {
    await send.close()
    server.close()
  })
  const urls = [
    '127.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f.1',
    '0',
    '169.254.169.254',
    'rebind.example',
  ]
  for (const host of urls)
    for (const scheme of ['https', 'http'])
      await assert.rejects(guardedFetch(send)({ ...asked, url: `${scheme}://${host}:${port}/` }), {
        message: 'This address is not allowed.',
      })
  for (const url of ['file:///etc/passwd', 'data:,x', 'https://a:b@example.com/', 'gopher://x/'])
    await assert.rejects(guardedFetch(send)({ ...asked, url }), { message: 'This address is not allowed.' })
  assert.equal(reached, 0)
})

test('an answer of more than 1 MiB is an error', async (t) => {
  const sizes = [1024 * 1024, 1024 * 1024 + 1]
  const server = createServer(({ url }, response) => response.end('x'.repeat(sizes[Number(url!.slice(1))]!)))
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const send = openSender({ allowPrivate: true, outboundPorts: [], limits: fetchLimits })
  t.after(async () => {
    await send.close()
    server.close()
  })
  const get = (n: number) => guardedFetch(send)({ ...asked, url: `http://127.0.0.1:${port}/${n}` })
  assert.equal((await get(0)).body.length, sizes[0])
  await assert.rejects(get(1), /larger than 1 MiB/)
})
