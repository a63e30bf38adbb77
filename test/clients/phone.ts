import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after } from 'node:test'
import { call, makeCustomer, openAglet } from '../fake/aglet.ts'
import { openHostDns } from '../fake/dns.ts'

/** A certificate for a host name in a new folder: `key.pem`, `certificate.pem`. */
function makeCertificate(host: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'aglet-phone-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const words = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=${host}`
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')]
  execFileSync('openssl', [...words.split(' '), '-addext', `subjectAltName=DNS:${host}`, ...files], { stdio: 'ignore' })
  return folder
}

type Exchange = { method: string; path: string; status: number; sent: Buffer; answer: string }

/** The shop's host over TLS: forwards and records every request to Aglet. */
async function openTlsHost(folder: string, upstream: number) {
  const exchanges: Exchange[] = []
  const read = (name: string) => readFileSync(join(folder, name))
  const server = createTlsServer({ key: read('key.pem'), cert: read('certificate.pem') }, async (got, response) => {
    const sent = await buffer(got)
    const { method = '', url: path = '' } = got
    const { 'transfer-encoding': _, ...headers } = got.headers
    const length = sent.length > 0 && { 'content-length': sent.length }
    const asked = request({ port: upstream, host: '127.0.0.1', method, path, headers: { ...headers, ...length } })
    asked.end(sent)
    const [answered] = (await once(asked, 'response')) as [IncomingMessage]
    const answer = await buffer(answered)
    exchanges.push({ method, path, status: answered.statusCode!, sent, answer: `${answer}` })
    response.writeHead(answered.statusCode!, answered.headers).end(answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { exchanges, port: (server.address() as AddressInfo).port }
}

/** The only way out of a phone: a proxy that records every requested host name, and allows one of them. */
export async function openOnlyWay(host: string, port: number) {
  const asked: string[] = []
  const server = createServer((got, response) => {
    asked.push(`${got.url}`)
    response.writeHead(403).end()
  })
  server.on('connect', ({ url = '' }, socket) => {
    asked.push(url)
    if (url !== `${host}:443`) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    const onward = connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'))
    onward.pipe(socket).pipe(onward)
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const)
      one.on('error', () => other.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, port: (server.address() as AddressInfo).port }
}

/** The host name of the tag that `openPhoneTag` makes. */
export const host = 't.shop.example'

/** A tag that accepts Segment's source on its own host name over TLS, and a folder with the certificate. */
export async function openPhoneTag(name: string) {
  const dns = await openHostDns()
  after(dns.close)
  const aglet = await openAglet(name, { AGLET_TRUST_PROXY: '127.0.0.1', AGLET_DNS_SERVERS: dns.address })
  const made = await makeCustomer(aglet, name)
  const { body } = await call<{ tagId: string }>(made, 'POST', '/tag', { name: 'app', domain: 'shop.example' })
  const customer = { ...made, ...body }
  dns.tags.set(host, customer.tagId)
  const put = await call(customer, 'PUT', `/tag/${customer.tagId}`, { hosts: [host], sources: ['segment'] })
  assert.equal(put.status, 200, JSON.stringify(put.body))
  const folder = makeCertificate(host)
  const { exchanges, port } = await openTlsHost(folder, aglet.port)
  type Result = { eventId: string; status: string }
  const taken = () =>
    exchanges
      .filter(({ path, status }) => path === '/v1/b' && status === 200)
      .flatMap(({ answer }) => JSON.parse(answer).result as Result[])
  return { customer, folder, exchanges, port, taken }
}
