import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { openSender, type SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import { createGuardedFetch, fetchLimits, parseFetchRequest, redirectRequest } from './guardedFetch.ts'
import type { FetchRequest } from './job.ts'

const request: FetchRequest = { url: 'https://a.example/x', method: 'GET', headers: [], body: null, redirect: 'follow' }
const answer = (status: number, headers: Record<string, string> = {}, body = ''): SendResult => ({
  status,
  headers,
  body,
  durationMs: 1,
})

/** A fetch on a fake `send` that returns these responses in order and records its requests. */
function withResponses(...answers: SendResult[]) {
  const seen: WireRequest[] = []
  const send = async (wireRequest: WireRequest) => {
    seen.push(wireRequest)
    return answers[Math.min(seen.length, answers.length) - 1]!
  }
  return { fetch: createGuardedFetch(send), seen }
}

test('at most three redirects are followed, and the response has the final address', async () => {
  const to = (n: number) => answer(302, { location: `/${n}` })
  const three = withResponses(to(1), to(2), to(3), answer(200, {}, 'there'))
  assert.deepEqual(await three.fetch(request), { url: 'https://a.example/3', status: 200, headers: {}, body: 'there' })
  await assert.rejects(withResponses(to(1)).fetch(request), /too many redirects/)
})

test('authorization and cookies are not sent to another origin', async () => {
  const headers = [
    ['Authorization', 'Bearer x'],
    ['cookie', 'a=b'],
    ['x-mine', '1'],
  ] as const
  const { fetch, seen } = withResponses(
    answer(307, { location: '/same' }),
    answer(307, { location: 'https://b.example/' }),
    answer(200),
  )
  await fetch({ ...request, headers })
  assert.deepEqual(seen[1]!.headers, { authorization: 'Bearer x', cookie: 'a=b', 'x-mine': '1' })
  assert.deepEqual(seen[2]!.headers, { 'x-mine': '1' })
})

test('a redirected POST becomes a GET without body, except for 307 and 308', () => {
  const post = { url: 'https://a.example/', method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }
  for (const status of [301, 302, 303])
    assert.deepEqual(redirectRequest(post, status, '/y'), { url: 'https://a.example/y', method: 'GET', headers: {} })
  for (const status of [307, 308])
    assert.deepEqual(redirectRequest(post, status, '/y'), { ...post, url: 'https://a.example/y' })
  assert.equal(redirectRequest(post, 200, '/y'), undefined)
  assert.equal(redirectRequest(post, 302, undefined), undefined)
})

test('redirect manual returns the redirect, and redirect error throws', async () => {
  const away = answer(302, { location: 'https://b.example/' })
  assert.equal((await withResponses(away).fetch({ ...request, redirect: 'manual' })).status, 302)
  await assert.rejects(withResponses(away).fetch({ ...request, redirect: 'error' }), /was a redirect/)
})

test('the code cannot set headers of the connection or of Aglet', async () => {
  const { fetch, seen } = withResponses(answer(200))
  const names = [
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'X-Aglet-Hop',
    'Proxy-Authorization',
    'x-mine',
  ]
  await fetch({ ...request, headers: names.map((name) => [name, '1'] as const) })
  assert.deepEqual(seen[0]!.headers, { 'x-mine': '1' })
})

test('a request of a child is validated strictly', () => {
  assert.deepEqual(parseFetchRequest(request), request)
  const bad = [
    undefined,
    {},
    { ...request, url: 1 },
    { ...request, method: 'CONNECT' },
    { ...request, headers: {} },
    { ...request, headers: [['a']] },
    { ...request, headers: [['a', 1]] },
    { ...request, body: {} },
    { ...request, redirect: 'x' },
    { ...request, body: 'x'.repeat(1024 * 1024 + 1) },
  ]
  for (const value of bad) assert.throws(() => parseFetchRequest(value))
})

test('the outbound guard denies every private address with the same message', async (t) => {
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
      await assert.rejects(createGuardedFetch(send)({ ...request, url: `${scheme}://${host}:${port}/` }), {
        message: 'This address is not allowed.',
      })
  for (const url of ['file:///etc/passwd', 'data:,x', 'https://a:b@example.com/', 'gopher://x/'])
    await assert.rejects(createGuardedFetch(send)({ ...request, url }), { message: 'This address is not allowed.' })
  assert.equal(reached, 0)
})

test('a response of more than 1 MiB is an error', async (t) => {
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
  const get = (n: number) => createGuardedFetch(send)({ ...request, url: `http://127.0.0.1:${port}/${n}` })
  assert.equal((await get(0)).body.length, sizes[0])
  await assert.rejects(get(1), /larger than 1 MiB/)
})
