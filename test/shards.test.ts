import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Database, openDatabase } from '#postgres/database.ts'
import { resolveDataDir } from '#runtime/dataDir.ts'
import {
  type Aglet,
  type Customer,
  call,
  freePort,
  makeCustomer,
  makeScript,
  settledJourney,
  sinkAt,
  startAglet,
  stopAglet,
  until,
} from './fake/aglet.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from './fake/postgresServer.ts'
import { openTcpProxy, type TcpProxy } from './fake/tcpProxy.ts'

const skip = await skipWithoutPostgres()
const storage = { service: { consent: { all: true } } }

describe('an installation to which an event shard is added', { skip }, () => {
  let server: PostgresServer
  let proxy: TcpProxy
  let sink: Server
  let main: Database
  let shard: Database
  const arrived: string[] = []
  const folders: string[] = []
  const running = new Set<Aglet>()

  /** Starts a process with a list of event shards. */
  async function start(role: string, shards: readonly string[]): Promise<Aglet> {
    const environment = {
      AGLET_DATABASE_URL: server.url,
      ...(shards.length > 0 && { AGLET_STREAM_URL: shards.join(' ') }),
      AGLET_SYNC_STANDBYS: '0',
      AGLET_ROOT_KEY: 'ab'.repeat(32),
      AGLET_ROLE: role,
      AGLET_ALLOW_PRIVATE_DESTINATIONS: '1',
    }
    const data = mkdtempSync(join(tmpdir(), `aglet-shards-${role}-`))
    folders.push(data)
    const started = await startAglet({ data, port: await freePort(), environment })
    running.add(started)
    assert.ok(existsSync(resolveDataDir(data).socket), 'a process that is ready takes the commands of the operator')
    return started
  }
  async function stop(process: Aglet): Promise<void> {
    running.delete(process)
    await stopAglet(process)
  }
  async function send({ origin }: Aglet, { tagId, token, teamId }: Customer, eventId: string, userId = 'someone') {
    const response = await fetch(`${origin}/t/${tagId}/tag`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'team-id': teamId },
      body: JSON.stringify({ eventName: 'Purchase', eventId, timestamp: Date.now(), storage, user: { userId } }),
    })
    await response.arrayBuffer()
    return response.status
  }
  async function customerWithSink(at: Aglet, name: string): Promise<Customer> {
    const customer = await makeCustomer(at, name)
    const { port } = sink.address() as AddressInfo
    await makeScript(customer, 'eventSink', 'sink', sinkAt(`http://127.0.0.1:${port}/`))
    return customer
  }
  async function healthOf({ origin }: Aglet) {
    const response = await fetch(`${origin}/readyz`)
    const { checks } = (await response.json()) as { checks: Record<string, string> }
    return { status: response.status, checks, metrics: await (await fetch(`${origin}/metrics`)).text() }
  }
  const countOnShard = async (tagId: string) =>
    (await shard.sql<{ count: number }>('SELECT count(*) AS count FROM event WHERE tag = $1', [tagId]))[0]!.count

  before(async () => {
    server = await startPostgres({ fsync: 'on', synchronous_commit: 'on', max_connections: '200' })
    proxy = await openTcpProxy(server.port)
    shard = openDatabase({
      url: server.url.replace('/postgres', '/shard'),
      schema: 'aglet_production',
      connections: 1,
    })
    main = openDatabase({ url: server.url, schema: 'aglet_production', connections: 1 })
    await main.sql('CREATE DATABASE shard')
    sink = createServer((request, response) => {
      let text = ''
      request.on('data', (chunk) => {
        text += chunk
      })
      request.on('end', () => {
        arrived.push(JSON.parse(text).payload.eventId)
        response.end('{}')
      })
    }).listen(0, '127.0.0.1')
  })
  after(async () => {
    proxy.heal()
    await Promise.all([...running].map((each) => stopAglet(each)))
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    sink.close()
    await Promise.all([main.close(), shard.close()])
    await proxy.close()
    await server.stop()
  })

  // Five starts of a process take most of it.
  const timeout = 300_000
  test('tags stay where they are, new ones lie on the new shard, and a shard that is down stops no other', {
    timeout,
  }, async () => {
    let [edge, control] = await Promise.all([start('edge', []), start('all', [])])
    const old = await customerWithSink(control, 'old')
    assert.equal(await send(edge, old, 'old-1'), 200)
    await until(() => arrived.includes('old-1'))

    const shards = [server.url, `postgres://aglet@127.0.0.1:${proxy.port}/shard`]
    await stop(edge)
    edge = await start('edge', shards)
    assert.equal(await send(edge, old, 'old-2'), 200, 'beside a process that knows no shard yet')
    await stop(control)
    control = await start('all', shards)
    const at = (customer: Customer): Customer => ({ ...customer, baseUrl: `${control.origin}/v1` })
    const fresh = await customerWithSink(control, 'fresh')
    assert.equal(await send(edge, fresh, 'fresh-1'), 200)
    assert.equal(await send(edge, fresh, 'fresh-1'), 200)
    assert.equal(await send(edge, old, 'old-3'), 200)
    await settledJourney(fresh, 'fresh-1')
    await until(() => ['old-1', 'old-2', 'old-3', 'fresh-1'].every((eventId) => arrived.includes(eventId)))
    assert.equal(arrived.length, 4)
    assert.equal(await countOnShard(fresh.tagId), 1)
    assert.equal(await countOnShard(old.tagId), 0)
    const shown = await call<object>(fresh, 'GET', `/tag/${fresh.tagId}`)
    assert.doesNotMatch(JSON.stringify(shown.body), /shard/)

    proxy.refuse()
    assert.equal(await send(edge, fresh, 'fresh-2', 'another'), 503)
    for (let n = 4; n < 9; n++) assert.equal(await send(edge, old, `old-${n}`), 200)
    await until(() => arrived.includes('old-8'))
    assert.equal((await call(at(old), 'GET', `/tag/${old.tagId}`)).status, 200)
    assert.equal((await call(fresh, 'DELETE', `/tag/${fresh.tagId}`)).status, 200)
    assert.equal((await call(fresh, 'GET', `/tag/${fresh.tagId}`)).status, 404, 'the shard deletes its part later')
    const owed = () => main.sql('SELECT 1 FROM owed_write')
    assert.equal((await owed()).length, 1)

    await until(async () => (await healthOf(edge)).checks['production.shards'] !== 'ok')
    const { status, checks, metrics } = await healthOf(edge)
    assert.deepEqual([status, checks['production.store'], checks['production.stream']], [200, 'ok', 'ok'])
    assert.match(checks['production.shards']!, /^1 of 2 cannot be reached, and their tags get 503: shard 1: /)
    assert.match(metrics, /^aglet_shard_reached\{environment="production",shard="1"\} 0$/m)
    assert.match(metrics, /^aglet_shard_reached\{environment="production",shard="0"\} 1$/m)

    proxy.heal()
    await until(async () => (await healthOf(edge)).checks['production.shards'] === 'ok', 60_000)
    await until(async () => (await owed()).length === 0, 60_000)
    const next = await customerWithSink(control, 'next')
    assert.equal(await send(edge, next, 'next-1'), 200)
    await until(() => arrived.includes('next-1'), 60_000)
    assert.equal(await countOnShard(next.tagId), 1)
  })
})
