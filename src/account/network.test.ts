import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkOf } from './network.ts'

test('an IPv4 address is counted by itself, also where it is written as IPv6', () => {
  assert.equal(networkOf('192.0.2.1'), networkOf('::ffff:192.0.2.1'))
  assert.notEqual(networkOf('192.0.2.1'), networkOf('192.0.2.2'))
})

test('all addresses of an IPv6 network of 64 bits are counted together', () => {
  assert.equal(networkOf('2001:db8:1:2::1'), networkOf('2001:db8:1:2:ffff::9'))
  assert.notEqual(networkOf('2001:db8:1:2::1'), networkOf('2001:db8:1:3::1'))
})

test('what is no address is counted as it is', () => assert.equal(networkOf('unknown'), 'unknown'))
