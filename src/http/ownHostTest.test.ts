import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOwnHostTest } from './ownHostTest.ts'

const open = { host: '0.0.0.0', origin: 'https://aglet.example', tagOrigin: 'https://t.aglet.example' }
const local = { host: '127.0.0.1', origin: 'http://127.0.0.1:4000', tagOrigin: 'http://127.0.0.1:4000' }
const asks = (settings: typeof open, host: string | undefined, url = '/v1/me') =>
  createOwnHostTest(settings)({ headers: host === undefined ? {} : { host }, url })

test('the control API is served on the host of the origin, in any case and with any port', () => {
  for (const host of ['aglet.example', 'Aglet.Example', 'aglet.example:443', 'aglet.example.'])
    assert.equal(asks(open, host), true, host)
})

test('the control API is not served on a tag host, the tag origin, an IP address, loopback or without a host', () => {
  for (const host of [
    'd.shop.example',
    't.aglet.example',
    'x.aglet.example',
    '203.0.113.9',
    'localhost',
    '127.0.0.1',
    '',
    undefined,
  ])
    assert.equal(asks(open, host), false, host)
})

test('a server that listens only on loopback serves it on every loopback name, and on no other name', () => {
  for (const host of ['127.0.0.1:4000', 'localhost:4000', '[::1]:4000', '127.0.0.2'])
    assert.equal(asks(local, host), true, host)
  for (const host of ['rebound.evil.example:4000', 'd.shop.example', 'x.localhost', '10.0.0.1'])
    assert.equal(asks(local, host), false, host)
  assert.equal(asks({ ...local, tagOrigin: 'http://localhost:4000' }, 'localhost:4000'), false)
})

test('probes and metric scrapers may use any host but that of the tags', () => {
  for (const url of ['/healthz', '/readyz', '/metrics', '/metrics?x']) {
    for (const host of ['10.0.0.7:4000', 'aglet:4000', 'aglet.monitoring.svc.cluster.local:4000', undefined])
      for (const settings of [open, local]) assert.equal(asks(settings, host, url), true, `${host} ${url}`)
    assert.equal(asks(open, 't.aglet.example', url), false)
  }
  for (const url of ['/healthzz', '/metrics/x', '/v1/me?/metrics', '/'])
    assert.equal(asks(open, 'aglet:4000', url), false)
})

test('a probe that a proxy passed on is answered as before: not under a public name of others', () => {
  const test = createOwnHostTest(open)
  for (const header of ['x-forwarded-for', 'forwarded']) {
    const at = (host: string) => test({ headers: { host, [header]: '203.0.113.9' }, url: '/metrics' })
    assert.deepEqual([at('evil.example'), at('10.0.0.7'), at('aglet.example')], [false, true, true])
  }
})

test('the TLS proxy may also use an IP address or a name without a dot, but no public name', () => {
  const url = '/ask?domain=d.shop.example'
  for (const host of ['10.0.0.7:4000', 'aglet:4000', '[fd00::7]:4000', 'localhost', undefined])
    assert.equal(asks(open, host, url), true, `${host}`)
  for (const host of ['d.shop.example', 't.aglet.example', 'evil.example']) assert.equal(asks(open, host, url), false)
})
