import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownHost } from './ownHost.ts'

const open = { host: '0.0.0.0', origin: 'https://aglet.example', tagOrigin: 'https://t.aglet.example' }
const local = { host: '127.0.0.1', origin: 'http://127.0.0.1:4000', tagOrigin: 'http://127.0.0.1:4000' }
const asks = (settings: typeof open, host: string | undefined, url = '/v1/me') =>
  ownHost(settings)({ headers: host === undefined ? {} : { host }, url })

test('the control API answers on the host of the origin, whatever its case and port', () => {
  for (const host of ['aglet.example', 'Aglet.Example', 'aglet.example:443', 'aglet.example.'])
    assert.equal(asks(open, host), true, host)
})

test('it answers on no other: a tag host, the origin of the tags, an address, this machine, none at all', () => {
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

test('a server that listens to its own machine alone answers on every name of it, but on no other that leads there', () => {
  for (const host of ['127.0.0.1:4000', 'localhost:4000', '[::1]:4000', '127.0.0.2'])
    assert.equal(asks(local, host), true, host)
  for (const host of ['rebound.evil.example:4000', 'd.shop.example', 'x.localhost', '10.0.0.1'])
    assert.equal(asks(local, host), false, host)
  assert.equal(asks({ ...local, tagOrigin: 'http://localhost:4000' }, 'localhost:4000'), false)
})

test('probes, scrapers and the proxy ask by an address or a name of one word as well, never by a public name', () => {
  for (const url of ['/healthz', '/readyz', '/metrics', '/ask?domain=d.shop.example']) {
    for (const host of ['10.0.0.7:4000', 'aglet:4000', '[fd00::7]:4000', 'localhost', undefined])
      assert.equal(asks(open, host, url), true, `${host} ${url}`)
    for (const host of ['d.shop.example', 't.aglet.example', 'evil.example']) assert.equal(asks(open, host, url), false)
  }
  for (const url of ['/healthzz', '/metrics/x', '/v1/me?/metrics', '/'])
    assert.equal(asks(open, 'aglet:4000', url), false)
})
