import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import fc from 'fast-check'
import { clientAddress } from './clientAddress.ts'

const from = (remoteAddress: string | undefined, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage
const behind = clientAddress(['10.0.0.0/8', '2001:db8::/32'])

test('without trusted proxies the caller is the peer, whatever X-Forwarded-For holds', () => {
  const direct = clientAddress([])
  assert.equal(direct(from('203.0.113.9', '1.2.3.4')), '203.0.113.9')
  assert.equal(direct(from('::ffff:203.0.113.9')), '203.0.113.9')
  assert.equal(direct(from('2001:db8::1')), '2001:db8::1')
  assert.equal(direct(from(undefined)), undefined)
})

test('X-Forwarded-For is read from the right, through trusted proxies only', () => {
  assert.equal(behind(from('10.0.0.1', '203.0.113.9')), '203.0.113.9')
  assert.equal(behind(from('10.0.0.1', '203.0.113.9, 10.1.1.1')), '203.0.113.9')
  assert.equal(behind(from('10.0.0.1', '1.2.3.4, 203.0.113.9, 10.1.1.1')), '203.0.113.9')
  assert.equal(behind(from('2001:db8::5', '2001:dead::1')), '2001:dead::1')
  assert.equal(behind(from('::ffff:10.0.0.1', '203.0.113.9')), '203.0.113.9')
})

test('X-Forwarded-For of a peer that is not a trusted proxy is ignored', () => {
  assert.equal(behind(from('203.0.113.9', '1.2.3.4')), '203.0.113.9')
})

test('a trusted proxy that forwards for no client is itself the caller', () => {
  assert.equal(behind(from('10.0.0.1')), '10.0.0.1')
  assert.equal(behind(from('10.0.0.1', '10.2.2.2, 10.1.1.1')), '10.2.2.2')
})

test('the caller is unknown where the entry of a trusted proxy is not an address', () => {
  for (const hop of ['unknown', '', '_hidden', '1.2.3', '999.0.0.1'])
    assert.equal(behind(from('10.0.0.1', `1.2.3.4, ${hop}`)), undefined)
})

test('ports, brackets and the prefix of IPv4-mapped IPv6 are removed', () => {
  assert.equal(behind(from('10.0.0.1', '203.0.113.9:4711')), '203.0.113.9')
  assert.equal(behind(from('10.0.0.1', '[2001:dead::1]:4711')), '2001:dead::1')
  assert.equal(behind(from('10.0.0.1', '::ffff:203.0.113.9')), '203.0.113.9')
})

test('entries that the caller writes before the entry of a trusted proxy are ignored', () => {
  fc.assert(
    fc.property(fc.string(), (forged) => {
      assert.equal(behind(from('10.0.0.1', `${forged}, 203.0.113.9, 10.1.1.1`)), '203.0.113.9')
    }),
  )
})
