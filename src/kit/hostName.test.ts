import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostName } from './hostName.ts'

test('a host name has no port, is in lower case and does not end with a dot', () => {
  const cases: [string | undefined, string][] = [
    ['d.example.com', 'd.example.com'],
    ['D.Example.com:443', 'd.example.com'],
    ['d.example.com.', 'd.example.com'],
    ['d.example.com.:8443', 'd.example.com'],
    ['127.0.0.1:4000', '127.0.0.1'],
    ['[::1]:4000', '[::1]'],
    ['[::1]', '[::1]'],
    ['', ''],
    [undefined, ''],
  ]
  for (const [header, name] of cases) assert.equal(hostName(header), name, header)
})
