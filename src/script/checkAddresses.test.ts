import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HostUnresolved, vetHost, vetUrl } from '#provider/engine/outboundGuard.ts'
import { checkAddresses } from './checkAddresses.ts'

const guard = { allowPrivate: false, ports: [8443], ownPorts: [4000] }
const names = new Map([
  ['sink.example', ['203.0.114.1']],
  ['inside.example', ['10.0.0.7']],
  ['both.example', ['203.0.114.1', '127.0.0.1']],
])
const findingsOf = (text: string, host: 'customer' | 'fixed' = 'customer', more: Partial<typeof guard> = {}) =>
  checkAddresses(
    { host },
    [
      ['A', '{}'],
      ['SINK_URL', text],
    ],
    {
      async vetAddress(url) {
        const policy = { ...guard, ...more }
        await vetHost(vetUrl(url, policy), policy, async (name) => names.get(name) ?? [])
      },
      demoInboxes: ['abc', 'ofSandbox'],
    },
  )
const issuesOf = async (...call: Parameters<typeof findingsOf>) => (await findingsOf(...call)).issues

test('an address that every delivery would refuse is an issue that names the setting which allows it', async () => {
  for (const text of [
    'http://sink.example/in',
    'https://127.0.0.1/in',
    'https://10.0.0.1/in',
    'https://localhost/in',
    'https://sink.example:9000/in',
    'https://169.254.169.254/latest',
    'https://inside.example/in',
    'https://both.example/in',
  ]) {
    const [issue, ...others] = await issuesOf(text)
    assert.equal(issue?.path, 'secrets.1', text)
    assert.match(issue!.message, /^SINK_URL: .*AGLET_ALLOW_PRIVATE_DESTINATIONS/)
    assert.deepEqual(others, [])
  }
})

test('an address that may be called is none, and neither is a value of a provider whose host is fixed', async () => {
  for (const text of ['https://sink.example/in', 'https://sink.example:8443/{click_id}', 'no address', ''])
    assert.deepEqual(await issuesOf(text), [])
  assert.deepEqual(await issuesOf('http://127.0.0.1:9/in', 'customer', { allowPrivate: true }), [])
  assert.deepEqual(await issuesOf('http://127.0.0.1/in', 'fixed'), [])
})

test('the inboxes of the demos of both environments are allowed, and the server itself and cloud metadata never', async () => {
  for (const name of ['abc', 'ofSandbox'])
    assert.deepEqual(await issuesOf(`http://127.0.0.1:4000/demo/inbox/${name}`), [])
  for (const text of ['http://127.0.0.1:4000/demo/inbox/other', 'http://169.254.169.254/latest/meta-data/'])
    assert.equal((await issuesOf(text, 'customer', { allowPrivate: true })).length, 1, text)
})

test('a name that does not resolve is accepted with a warning that names it', async () => {
  assert.deepEqual(await findingsOf('https://not-yet.example/in'), {
    issues: [],
    warnings: ['SINK_URL: not-yet.example does not resolve; deliveries wait until it does'],
  })
  const late = { vetAddress: () => Promise.reject(new HostUnresolved()) }
  assert.equal((await checkAddresses({ host: 'tenant' }, [['URL', 'https://slow.example']], late)).warnings.length, 1)
  const broken = { vetAddress: () => Promise.reject(new TypeError('bug')) }
  await assert.rejects(checkAddresses({ host: 'tenant' }, [['URL', 'https://slow.example']], broken), TypeError)
})
