import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressIssues } from './addressIssues.ts'

const guard = { allowPrivate: false, ports: [8443], ownPorts: [4000] }
const issuesOf = (text: string, host: 'customer' | 'fixed' = 'customer', more: Partial<typeof guard> = {}) =>
  addressIssues(
    { host },
    [
      ['A', '{}'],
      ['SINK_URL', text],
    ],
    { guard: { ...guard, ...more }, demoInbox: 'abc' },
  )

test('an address that every delivery would refuse is an issue that names the setting which allows it', () => {
  for (const text of [
    'http://sink.example/in',
    'https://127.0.0.1/in',
    'https://10.0.0.1/in',
    'https://localhost/in',
    'https://sink.example:9000/in',
    'https://169.254.169.254/latest',
  ]) {
    const [issue, ...others] = issuesOf(text)
    assert.equal(issue?.path, 'secrets.1', text)
    assert.match(issue!.message, /^SINK_URL: .*AGLET_ALLOW_PRIVATE_DESTINATIONS/)
    assert.deepEqual(others, [])
  }
})

test('an address that may be called is none, and neither is a value of a provider whose host is fixed', () => {
  for (const text of ['https://sink.example/in', 'https://sink.example:8443/{click_id}', 'no address', ''])
    assert.deepEqual(issuesOf(text), [])
  assert.deepEqual(issuesOf('http://127.0.0.1:9/in', 'customer', { allowPrivate: true }), [])
  assert.deepEqual(issuesOf('http://127.0.0.1/in', 'fixed'), [])
})

test('the inbox of the demo is allowed, and the server itself and cloud metadata never', () => {
  assert.deepEqual(issuesOf('http://127.0.0.1:4000/demo/inbox/abc'), [])
  for (const text of ['http://127.0.0.1:4000/demo/inbox/other', 'http://169.254.169.254/latest/meta-data/'])
    assert.equal(issuesOf(text, 'customer', { allowPrivate: true }).length, 1, text)
})
