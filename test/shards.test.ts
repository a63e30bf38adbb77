import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Database, openDatabase } from '#postgres/database.ts'
import { type Aglet, type Customer, call, settledJourney, stopAglet, until } from './fake/aglet.ts'
import { type PostgresServer, skipWithoutPostgres } from './fake/postgresServer.ts'
import { openRoleProcesses, type RoleProcesses, sendEvent } from './fake/roleProcesses.ts'
import { openTcpProxy, type TcpProxy } from './fake/tcpProxy.ts'

const skip = await skipWithoutPostgres()

describe('an installation to which an event shard is added', { skip }, () => {
  let processes: RoleProcesses
  let server: PostgresServer
  let proxy: TcpProxy
  let main: Database
  let shard: Database

  /** Starts a process with a list of event shards. */
  const start = (role: string, shards: readonly string[]) =>
    processes.start(role, shards.length > 0 ? { AGLET_STREAM_URL: shards.join(' ') } : {})
  const send = async (at: Aglet, customer: Customer, eventId: string, userId = 'someone') =>
    (await sendEvent(at, customer, eventId, { fields: { user: { userId } } })).status

  async function healthOf({ origin }: Aglet) {
    const response = await fetch(`${origin}/readyz`)
    const { checks } = (await response.json()) as { checks: Record<string, string> }
    return { status: response.status, checks, metrics: await (await fetch(`${origin}/metrics`)).text() }
  }
  const countOnShard = async (tagId: string) =>
    (await shard.sql<{ count: number }>('SELECT count(*) AS count FROM event WHERE tag = $1', [tagId]))[0]!.count

  before(async () => {
    processes = await openRoleProcesses({ max_connections: '200' })
    server = processes.server
    proxy = await openTcpProxy(server.port)
    shard = openDatabase({
      url: server.url.replace('/postgres', '/shard'),
      schema: 'aglet_production',
      connections: 1,
    })
    main = openDatabase({ url: server.url, schema: 'aglet_production', connections: 1 })
    await main.sql('CREATE DATABASE shard')
  })
  after(async () => {
    proxy.heal()
    await Promise.all([main.close(), shard.close()])
    await processes.close()
    await proxy.close()
  })

  // Starting five processes takes most of this time.
  const timeout = 300_000
  test('tags stay where they are, new ones lie on the new shard, and a shard that is down stops no other', {
    timeout,
  }, async () => {
    let [edge, control] = await Promise.all([start('edge', []), start('all', [])])
    const old = await processes.customerWithSink(control, 'old')
    assert.equal(await send(edge, old, 'old-1'), 200)
    await until(() => processes.arrived.includes('old-1'))

    const shards = [server.url, `postgres://aglet@127.0.0.1:${proxy.port}/shard`]
    await stopAglet(edge)
    edge = await start('edge', shards)
    assert.equal(await send(edge, old, 'old-2'), 200, 'beside a process that knows no shard yet')
    await stopAglet(control)
    control = await start('all', shards)
    const at = (customer: Customer): Customer => ({ ...customer, baseUrl: `${control.origin}/v1` })
    const fresh = await processes.customerWithSink(control, 'fresh')
    assert.equal(await send(edge, fresh, 'fresh-1'), 200)
    assert.equal(await send(edge, fresh, 'fresh-1'), 200)
    assert.equal(await send(edge, old, 'old-3'), 200)
    await settledJourney(fresh, 'fresh-1')
    await until(() => ['old-1', 'old-2', 'old-3', 'fresh-1'].every((eventId) => processes.arrived.includes(eventId)))
    assert.equal(processes.arrived.length, 4)
    assert.equal(await countOnShard(fresh.tagId), 1)
    assert.equal(await countOnShard(old.tagId), 0)
    const shown = await call<object>(fresh, 'GET', `/tag/${fresh.tagId}`)
    assert.doesNotMatch(JSON.stringify(shown.body), /shard/)

    proxy.refuse()
    assert.equal(await send(edge, fresh, 'fresh-2', 'another'), 503)
    for (let n = 4; n < 9; n++) assert.equal(await send(edge, old, `old-${n}`), 200)
    await until(() => processes.arrived.includes('old-8'))
    assert.equal((await call(at(old), 'GET', `/tag/${old.tagId}`)).status, 200)
    assert.equal((await call(fresh, 'DELETE', `/tag/${fresh.tagId}`)).status, 200)
    assert.equal((await call(fresh, 'GET', `/tag/${fresh.tagId}`)).status, 404, 'the shard deletes its part later')
    const deferred = () => main.sql('SELECT 1 FROM deferred_write')
    assert.equal((await deferred()).length, 1)

    await until(async () => (await healthOf(edge)).checks['production.shards'] !== 'ok')
    const { status, checks, metrics } = await healthOf(edge)
    assert.deepEqual([status, checks['production.store'], checks['production.stream']], [200, 'ok', 'ok'])
    assert.match(checks['production.shards']!, /^1 of 2 cannot be reached, and their tags get 503: shard 1: /)
    assert.match(metrics, /^aglet_shard_reached\{environment="production",shard="1"\} 0$/m)
    assert.match(metrics, /^aglet_shard_reached\{environment="production",shard="0"\} 1$/m)

    proxy.heal()
    await until(async () => (await healthOf(edge)).checks['production.shards'] === 'ok', 60_000)
    await until(async () => (await deferred()).length === 0, 60_000)
    const next = await processes.customerWithSink(control, 'next')
    assert.equal(await send(edge, next, 'next-1'), 200)
    await until(() => processes.arrived.includes('next-1'), 60_000)
    assert.equal(await countOnShard(next.tagId), 1)
  })
})
