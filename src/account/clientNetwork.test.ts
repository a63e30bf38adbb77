import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientNetwork } from './clientNetwork.ts'

test('an IPv4 address is counted by itself, also in its IPv4-mapped IPv6 form', () => {
  assert.equal(clientNetwork('192.0.2.1'), clientNetwork('::ffff:192.0.2.1'))
  assert.notEqual(clientNetwork('192.0.2.1'), clientNetwork('192.0.2.2'))
})

test('all addresses of an IPv6 /64 network are counted together', () => {
  assert.equal(clientNetwork('2001:db8:1:2::1'), clientNetwork('2001:db8:1:2:ffff::9'))
  assert.notEqual(clientNetwork('2001:db8:1:2::1'), clientNetwork('2001:db8:1:3::1'))
})

test('text that is not an IP address is counted unchanged', () => assert.equal(clientNetwork('unknown'), 'unknown'))
