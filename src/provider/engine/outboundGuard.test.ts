import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import fc from 'fast-check'
import { buildConnector } from 'undici'
import { hostileUrls } from '../../../test/ssrf/corpus.ts'
import { guardedConnector, HostUnresolved, OutboundDenied, type ResolveHost, vetHost, vetUrl } from './outboundGuard.ts'
import { isPublicAddress } from './publicAddress.ts'

const strict = { allowPrivate: false, ports: [8443], ownPorts: [4100] }
const lenient = { allowPrivate: true, ports: [], ownPorts: [4100] }
const https = (hostname: string, port = '') => ({ hostname, port, protocol: 'https:' })
const never: ResolveHost = () => assert.fail('nothing is resolved')

test(`none of ${hostileUrls.length} addresses that lead inside, or nowhere a customer may name, passes`, () => {
  assert.ok(hostileUrls.length >= 110)
  for (const url of hostileUrls)
    assert.throws(() => vetUrl(url, strict), { message: 'This address is not allowed.' }, url)
})

test('an address on the public internet passes, on 443 and on the ports that the operator lists', () => {
  for (const url of `https://example.com/a?b#c https://example.com:443/ https://example.com:8443/ https://8.8.8.8/
    https://1.1.1.1/ https://[2606:4700:4700::1111]/ https://[2a00:1450:4001::1]/ https://xn--bcher-kva.example/
    https://bücher.example/ https://172.32.0.1/ https://100.128.0.1/ https://9.255.255.255/ https://11.0.0.1/`.split(
    /\s+/,
  ))
    assert.ok(vetUrl(url, strict).href, url)
})

test('in development private addresses, http and any port pass; userinfo and other schemes do not', () => {
  for (const url of ['http://127.0.0.1:4000/', 'https://[::1]:9/', 'http://localhost/', 'http://10.0.0.1:22/'])
    assert.equal(vetUrl(url, lenient).href, url)
  for (const url of ['ftp://example.com', 'http://a:b@example.com', 'nothing', 'file:///etc/passwd'])
    assert.throws(() => vetUrl(url, lenient), OutboundDenied)
})

test('every address of a refused range is refused, whichever it is, also inside IPv6', () => {
  const ranges = [
    [10, 8],
    [127, 8],
    [0, 8],
    [224, 4],
    [240, 4],
  ] as const
  const inRange = fc
    .constantFrom(...ranges)
    .chain(([first, bits]) =>
      fc.integer({ min: 0, max: 2 ** (32 - bits) - 1 }).map((rest) => (first * 2 ** 24 + rest) >>> 0),
    )
  fc.assert(
    fc.property(inRange, (number) => {
      const v4 = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.')
      assert.ok(!isPublicAddress(v4) && !isPublicAddress(`::ffff:${v4}`) && !isPublicAddress(`64:ff9b::${v4}`))
      for (const host of [String(number), `0x${number.toString(16)}`, `0${number.toString(8)}`])
        assert.throws(() => vetUrl(`https://${host}/`, strict), OutboundDenied)
    }),
  )
})

test('what is no address in its usual notation is not public', () => {
  for (const text of ['', 'example.com', '0x8.8.8.8', '8.8.8', '2001:4860::%1', '08.8.8.8'])
    assert.ok(!isPublicAddress(text), text)
})

const answering =
  (...answers: (readonly string[])[]): ResolveHost =>
  async () =>
    answers.length > 1 ? answers.shift()! : answers[0]!

test('a name is refused if any of its addresses is not public', async () => {
  const vet = (...addresses: string[]) => vetHost(https('name.example'), strict, answering(addresses))
  for (const inside of [
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '::1',
    'fd00::1',
    '::ffff:8.8.8.8',
    '64:ff9b::a00:1',
  ]) {
    await assert.rejects(vet(inside), OutboundDenied, inside)
    await assert.rejects(vet('8.8.8.8', inside), OutboundDenied, inside)
    await assert.rejects(vet(inside, '2606:4700::1'), OutboundDenied, inside)
  }
  await assert.rejects(vet('8.8.8.8', 'alias.internal'), OutboundDenied, 'what is no address')
})

test('names that are made to point inside are refused by what they point to', async () => {
  const zone: Record<string, string> = {
    localhost: '127.0.0.1',
    'localhost.': '127.0.0.1',
    '127.0.0.1.nip.io': '127.0.0.1',
    'metadata.google.internal': '169.254.169.254',
    intranet: '10.1.2.3',
    'cname-to-inside.example': '192.168.0.10',
  }
  const resolve: ResolveHost = async (name) => [zone[name]!]
  for (const name of Object.keys(zone)) {
    const vetted = async () => vetHost(vetUrl(`https://${name}/`, strict), strict, resolve)
    await assert.rejects(vetted, OutboundDenied, name)
  }
})

test('public addresses are all offered, IPv4 first', async () => {
  const vetted = await vetHost(https('name.example'), strict, answering(['2606:4700::1', '8.8.8.8', '1.1.1.1']))
  assert.deepEqual(vetted, ['8.8.8.8', '1.1.1.1', '2606:4700::1'])
})

test('sixteen addresses are enough, none are none', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `8.8.8.${i}`)
  assert.equal((await vetHost(https('name.example'), strict, answering(many(16)))).length, 16)
  await assert.rejects(vetHost(https('name.example'), strict, answering(many(17))), OutboundDenied)
  await assert.rejects(vetHost(https('name.example'), strict, answering([])), HostUnresolved)
})

test('a literal is not resolved, and judged again', async () => {
  assert.deepEqual(await vetHost(https('8.8.8.8'), strict, never), ['8.8.8.8'])
  await assert.rejects(vetHost(https('[::1]'), strict, never), OutboundDenied)
})

test('a name server that fails or is silent means that the name does not resolve, after two seconds', async (t) => {
  await assert.rejects(
    vetHost(https('name.example'), strict, () => Promise.reject(new Error('SERVFAIL at 10.0.0.2'))),
    { name: 'HostUnresolved', message: 'The host name did not resolve.' },
  )
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let given: AbortSignal | undefined
  const silent = vetHost(https('name.example'), strict, (_, signal) => {
    given = signal
    return new Promise(() => {})
  })
  t.mock.timers.tick(2_000)
  await assert.rejects(silent, HostUnresolved)
  assert.ok(given?.aborted, 'and the question is taken back')
})

/** Link-local and cloud metadata addresses, plain and embedded in IPv6. */
const neverCalled =
  `169.254.169.254 169.254.0.1 169.254.170.2 169.254.42.42 100.100.100.200 168.63.129.16 192.0.0.192 fe80::1
  fe80::a9fe:a9fe febf:ffff::1 fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fd00:c1::a9fe:a9fe fd00:a9fe:a9fe::1 fd00:42::42
  fd00:100::100:200 ::ffff:169.254.169.254 ::ffff:a83f:8110 ::169.254.169.254 ::ffff:0:a9fe:a9fe 64:ff9b::a9fe:a9fe
  64:ff9b:1::a9fe:a9fe 2002:a9fe:a9fe::1 2001:0:a9fe:a9fe:: 2001:0:1:1:1:1:5601:5601`.split(/\s+/)
const inUrl = (address: string) => (address.includes(':') ? `[${address}]` : address)

test('link-local and cloud metadata addresses pass under no setting, as literals and as answers of a name server', async () => {
  for (const policy of [strict, lenient])
    for (const address of neverCalled) {
      for (const url of [`https://${inUrl(address)}/`, `https://${inUrl(address)}:8443/`])
        assert.throws(() => vetUrl(url, policy), OutboundDenied, url)
      await assert.rejects(vetHost(https('name.example'), policy, answering([address])), OutboundDenied, address)
      await assert.rejects(
        vetHost(https('name.example'), policy, answering(['8.8.8.8', address])),
        OutboundDenied,
        address,
      )
    }
  for (const url of [
    'http://2852039166/',
    'http://0xa9fea9fe/',
    'http://0251.0376.0251.0376/',
    'http://169.254.43518/',
  ])
    assert.throws(() => vetUrl(url, lenient), OutboundDenied, url)
  await assert.rejects(vetHost(https('name.example'), lenient, answering(['fe80::1%eth0'])), OutboundDenied)
  await assert.rejects(vetHost(https('name.example'), lenient, answering(['metadata.internal'])), OutboundDenied)
})

test('the server’s own ports pass under no setting, at whichever address of this machine; its other ports do', async () => {
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address))
  const own = ['127.0.0.1', '127.9.9.9', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1', '64:ff9b::7f00:1', ...interfaces]
  for (const address of own) {
    assert.throws(() => vetUrl(`http://${inUrl(address)}:4100/`, lenient), OutboundDenied, address)
    await assert.rejects(vetHost(https('name.example', '4100'), lenient, answering([address])), OutboundDenied, address)
    assert.ok(address.startsWith('fe80') || vetUrl(`http://${inUrl(address)}:4101/`, lenient).href, address)
  }
  for (const url of [
    'http://localhost:4100/',
    'http://LOCALHOST.:4100/',
    'http://a.localhost:4100/',
    'http://2130706433:4100/',
  ])
    assert.throws(() => vetUrl(url, lenient), OutboundDenied, url)
  assert.ok(vetUrl('http://10.1.2.3:4100/', lenient).href, 'the same port of another machine')
  const on80 = { ...lenient, ownPorts: [80, 443] }
  for (const url of ['http://127.0.0.1/', 'https://127.0.0.1/'])
    assert.throws(() => vetUrl(url, on80), OutboundDenied, url)
})

async function listening(t: { after(fn: () => void): void }): Promise<{ server: Server; port: string }> {
  const server = createServer()
  t.after(() => server.close())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { server, port: String((server.address() as AddressInfo).port) }
}

const plain = buildConnector({ timeout: 1_000 })
const connect = (hostname: string, port: string, deps: Partial<Parameters<typeof guardedConnector>[0]>) =>
  new Promise<string>((resolve, reject) => {
    const connector = guardedConnector({ policy: strict, resolve: never, connect: plain, connectMs: 1_000, ...deps })
    connector({ hostname, host: hostname, protocol: 'http:', port }, (error, socket) => {
      if (error) return reject(error)
      resolve(socket!.remoteAddress!)
      socket!.destroy()
    })
  })

test('a name that turns inside between two connections is refused at the second', async (t) => {
  const { port } = await listening(t)
  const seen: string[] = []
  const pinned: typeof plain = (options, callback) => {
    seen.push(options.hostname)
    callback(new Error('enough'), null)
  }
  const resolve = answering(['8.8.8.8'], ['127.0.0.1'])
  await assert.rejects(connect('rebind.example', port, { resolve, connect: pinned }), /enough/)
  await assert.rejects(connect('rebind.example', port, { resolve, connect: pinned }), OutboundDenied)
  assert.deepEqual(seen, ['8.8.8.8'], 'pinned to what was vetted; the other never dialled')
})

test('a connection that ends up inside is closed, whatever was vetted', async (t) => {
  const { server, port } = await listening(t)
  const closed = new Promise((resolve) => server.once('connection', (socket) => socket.once('close', resolve)))
  const hijacked: typeof plain = (options, callback) => plain({ ...options, hostname: '127.0.0.1' }, callback)
  const resolve = answering(['8.8.8.8'])
  await assert.rejects(connect('name.example', port, { resolve, connect: hijacked }), OutboundDenied)
  await closed
})

test('the name stays the one that a certificate is asked for, without a dot at its end', async () => {
  const asked: (string | undefined)[] = []
  const noting: typeof plain = ({ servername }, callback) => {
    asked.push(servername)
    callback(new Error('enough'), null)
  }
  const on = { resolve: answering(['8.8.8.8']), connect: noting }
  for (const host of ['name.example', 'name.example.', '8.8.8.8'])
    await assert.rejects(connect(host, '443', on), /enough/)
  assert.deepEqual(asked, ['name.example', 'name.example', undefined])
})

test('the next address is tried where the first does not answer, until the time to connect is over', async () => {
  const tried: string[] = []
  const failing: typeof plain = ({ hostname }, callback) => {
    tried.push(hostname)
    callback(new Error('unreachable'), null)
  }
  const resolve = answering(['8.8.8.8', '2606:4700::1'])
  await assert.rejects(connect('name.example', '443', { resolve, connect: failing }), /unreachable/)
  assert.deepEqual(tried, ['8.8.8.8', '2606:4700::1'])
})

test('a connection that ends up at one of the server’s own ports is closed, whatever was vetted', async (t) => {
  const { port } = await listening(t)
  const hijacked: typeof plain = (options, callback) => plain({ ...options, hostname: '127.0.0.1' }, callback)
  const policy = { ...lenient, ownPorts: [Number(port)] }
  await assert.rejects(
    connect('dev.example', port, { policy, resolve: answering(['10.0.0.1']), connect: hijacked }),
    OutboundDenied,
  )
})

test('in development a private address is reached by its name', async (t) => {
  const { port } = await listening(t)
  assert.equal(await connect('dev.example', port, { policy: lenient, resolve: answering(['127.0.0.1']) }), '127.0.0.1')
})
