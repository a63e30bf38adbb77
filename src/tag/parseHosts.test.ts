import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHosts } from './parseHosts.ts'

test('host names are kept in lower case, each once', () => {
  assert.deepEqual(parseHosts(['D.Example.com', 'd.example.com'], []), { hosts: ['d.example.com'] })
})

test('a name under localhost is a tag’s only on a server on the loopback', () => {
  for (const own of ['localhost', '127.0.0.1', '[::1]'])
    assert.deepEqual(parseHosts(['x.localhost'], ['aglet.localhost', own]), { hosts: ['x.localhost'] })
  for (const own of ['aglet.example', '10.0.0.1', 'localhost.example'])
    assert.ok('issues' in parseHosts(['x.localhost'], [own]), own)
})

test('an invalid host name, or a name of this server, is an issue with its path', () => {
  const own = ['aglet.example']
  for (const text of [
    'https://d.example.com',
    'd',
    'a.com:80',
    '10.0.0.1',
    'AGLET.example',
    'localhost',
    '127.0.0.1',
  ]) {
    const read = parseHosts(['d.example.com', text], own)
    assert.deepEqual('issues' in read && read.issues.map(({ path }) => path), ['hosts.1'], text)
  }
})
