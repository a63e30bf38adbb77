import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DnsServer, openDns } from '../../test/fake/dns.ts'
import { createSystemDns, hasNoRecord } from './dns.ts'
import { lookUpHost } from './hostRecords.ts'

let server: DnsServer
before(async () => {
  server = await openDns((name, type) => {
    if (name.endsWith('gone.example')) return 'NXDOMAIN'
    if (name.endsWith('broken.example')) return 'SERVFAIL'
    if (name === '_aglet.d.example' && type === 'TXT') return [{ type, data: `${'x'.repeat(250)} in two pieces` }]
    if (name === 'd.example' && type === 'A') return [{ type, data: '192.0.2.1' }]
    if (name === 'd.example' && type === 'AAAA') return [{ type, data: '2001:db8::1' }]
    if (name === 'c.example' && type !== 'TXT') return [{ type: 'CNAME', data: 'TAG_1.Aglet.Example' }]
    return []
  })
})
after(() => server.close())

test('a TXT record is one text, addresses are of both families, and an IP address resolves to itself', async () => {
  const dns = createSystemDns([server.address])
  assert.deepEqual(await dns.texts('_aglet.d.example'), [`${'x'.repeat(250)} in two pieces`])
  assert.deepEqual(await dns.addresses('d.example'), ['192.0.2.1', '2001:db8::1'])
  assert.deepEqual(await dns.addresses('192.0.2.7'), ['192.0.2.7'])
})

test('a look-up has no record only if a name server answered so', async () => {
  const dns = createSystemDns([server.address])
  const lookUps = await Promise.allSettled([
    dns.texts('gone.example'),
    dns.texts('c.example'),
    dns.texts('broken.example'),
    dns.cname('d.example'),
    dns.cname('broken.example'),
    dns.texts('_aglet.d.example'),
  ])
  assert.deepEqual(lookUps.map(hasNoRecord), [true, true, false, true, false, false])
})

test('the records of a host are those that name servers answered', async () => {
  const dns = createSystemDns([server.address])
  const text = `${'x'.repeat(250)} in two pieces`
  assert.deepEqual(await lookUpHost('d.example', dns), { texts: [text], aliases: [], isMissing: false })
  assert.deepEqual(await lookUpHost('c.example', dns), {
    texts: [],
    aliases: ['tag_1.aglet.example'],
    isMissing: false,
  })
  assert.deepEqual(await lookUpHost('gone.example', dns), { texts: [], aliases: [], isMissing: true })
  assert.deepEqual(await lookUpHost('broken.example', dns), {})
})
