import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { openDatabase } from '#postgres/database.ts'
import { resolveDataDir } from '#runtime/dataDir.ts'
import { type Aglet, type Customer, call, freePort, makeCustomer, stopAglet, until } from './fake/aglet.ts'
import { type PostgresServer, skipWithoutPostgres } from './fake/postgresServer.ts'
import { openRoleProcesses, type RoleProcesses, sendEvent } from './fake/roleProcesses.ts'
import { openTcpProxy, type TcpProxy } from './fake/tcpProxy.ts'

const skip = await skipWithoutPostgres()
const manyMs = 90_000
const timeout = 300_000

describe('a process that starts while a database is away', { skip }, () => {
  let processes: RoleProcesses
  let server: PostgresServer
  let proxy: TcpProxy

  before(async () => {
    processes = await openRoleProcesses({ max_connections: '200' })
    server = processes.server
    proxy = await openTcpProxy(server.port)
  })
  after(async () => {
    proxy.heal()
    await processes.close()
    await proxy.close()
  })

  async function look(port: number, path: string) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
    if (!response) return undefined
    return { status: response.status, body: (await response.json()) as { checks?: Record<string, string> } }
  }
  const countOf = ({ errors }: Aglet, message: string) => errors().split(message).length - 1
  const send = (at: Aglet, customer: Customer, eventId: string) =>
    sendEvent(at, customer, eventId, { fields: { user: { userId: 'someone' } } })
  const throughProxy = (database = 'postgres') => `postgres://aglet@127.0.0.1:${proxy.port}/${database}`

  test('each role waits for it, says so once in the log and in /readyz, and goes on when it answers', {
    timeout,
  }, async () => {
    proxy.refuse()
    const environment = { AGLET_DATABASE_URL: throughProxy() }
    const ports = [await freePort(), await freePort(), await freePort()]
    const roles = ['control', 'edge', 'worker']
    const starting = roles.map((role, n) => processes.start(role, environment, ports[n]))
    for (const port of ports) {
      await until(async () => (await look(port, '/readyz'))?.body.checks?.['production.database'] !== undefined, manyMs)
      const { status, body } = (await look(port, '/readyz'))!
      assert.deepEqual(
        [status, body],
        [
          503,
          {
            ready: false,
            checks: {
              start: 'is not finished',
              'production.database': 'waiting: no host of the database accepts writes',
            },
          },
        ],
      )
      assert.equal((await look(port, '/healthz'))?.status, 200)
    }
    proxy.heal()
    const [control, edge, worker] = (await Promise.all(starting)) as [Aglet, Aglet, Aglet]
    for (const each of [control, edge, worker]) {
      assert.equal(countOf(each, 'the start waits for a database'), 1)
      assert.equal(countOf(each, 'the database responds'), 1)
    }
    const customer = await processes.customerWithSink(control, 'late')
    assert.equal((await send(edge, customer, 'late-1')).status, 200)
    await until(() => processes.arrived.includes('late-1'), manyMs)
    await Promise.all([control, edge, worker].map((each) => stopAglet(each)))
  })

  test('an edge with a file of its tags starts without it: events get 503, all else is answered, and what changed meanwhile is read', {
    timeout,
  }, async (t) => {
    t.after(() => proxy.heal())
    const settings = '/load?settings=true'
    const control = await processes.start('control')
    const [kept, dropped] = [await makeCustomer(control, 'kept'), await makeCustomer(control, 'dropped')]
    const environment = { AGLET_DATABASE_URL: throughProxy() }
    const first = await processes.start('edge', environment)
    const { port, data } = first
    const file = resolveDataDir(data).edgeFile('production')
    await until(() => existsSync(file), manyMs)
    await stopAglet(first)

    proxy.refuse()
    const starting = processes.start('edge', environment, port, data)
    await until(async () => (await look(port, '/readyz'))?.body.checks?.['production.store'] !== undefined, manyMs)
    const { status, body } = (await look(port, '/readyz'))!
    const away = 'the database has not responded since the start: events get 503'
    assert.deepEqual([status, body.checks?.['production.store']], [503, away])
    const event = JSON.stringify({ eventName: 'Purchase', eventId: 'kept-0', timestamp: Date.now() })
    const at = { origin: `http://127.0.0.1:${port}` } as Aglet
    const answer = async ({ tagId }: Pick<Customer, 'tagId'>, path: string, init: RequestInit = {}) =>
      (await fetch(`${at.origin}/t/${tagId}${path}`, init)).status
    const post = (text: string) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body: text })
    assert.equal(await answer(kept, settings), 200)
    assert.equal(await answer(kept, '/tag', { method: 'OPTIONS' }), 204)
    assert.equal(await answer(kept, '/tag', { method: 'DELETE' }), 405)
    assert.equal(await answer(kept, '/tag', post('{"eventName":')), 400)
    assert.equal(await answer(kept, '/tag', post('{"eventId":"x"}')), 400)
    const answered = await fetch(`${at.origin}/t/${kept.tagId}/tag`, post(event))
    assert.deepEqual([answered.status, Number(answered.headers.get('retry-after')) > 0], [503, true])
    assert.equal((await send(at, kept, 'kept-1')).status, 503, 'a token cannot be checked')
    assert.equal(await answer({ tagId: `tag_${'0'.repeat(26)}` }, settings), 503, 'another process may have made it')
    assert.equal(await answer(dropped, settings), 200)

    assert.equal((await call(dropped, 'DELETE', `/tag/${dropped.tagId}`)).status, 200)
    const made = await processes.customerWithSink(control, 'made meanwhile')
    proxy.heal()
    const edge = await starting
    assert.equal(countOf(edge, 'this edge starts from its file'), 2, 'once for each environment')
    assert.equal(await answer(dropped, settings), 404)
    assert.equal((await send(edge, kept, 'kept-1')).status, 200)
    assert.equal((await send(edge, made, 'made-1')).status, 200)
    await Promise.all([control, edge].map((each) => stopAglet(each)))
  })

  test('one whose password is wrong ends with the reason', { timeout }, async () => {
    const admin = openDatabase({ url: server.url, schema: 'public', connections: 1 })
    await admin.sql('CREATE ROLE aside NOLOGIN')
    await admin.close()
    const url = `postgres://aside@127.0.0.1:${server.port}/postgres`
    await assert.rejects(processes.start('worker', { AGLET_DATABASE_URL: url }), ({ cause }: Error) =>
      /role "aside" is not permitted to log in/.test(`${cause}`),
    )
  })

  test('an event shard that is away at the start keeps no other tag waiting, and is used when it answers', {
    timeout,
  }, async () => {
    const admin = openDatabase({ url: server.url, schema: 'public', connections: 1 })
    await admin.sql('CREATE DATABASE late_shard')
    await admin.close()
    const environment = { AGLET_STREAM_URL: `${server.url} ${throughProxy('late_shard')}` }
    let control = await processes.start('control', environment)
    const main = openDatabase({ url: server.url, schema: 'aglet_production', connections: 1 })
    const onShard = new Map<number, Customer>()
    while (onShard.size < 2) {
      const made = await processes.customerWithSink(control, 'sharded')
      const [row] = await main.sql<{ shard: number }>('SELECT shard FROM tag WHERE id = $1', [made.tagId])
      onShard.set(row!.shard, made)
    }
    await main.close()
    const [near, far] = [onShard.get(0)!, onShard.get(1)!]
    await stopAglet(control)

    proxy.refuse()
    const started = await Promise.all(['control', 'edge', 'worker'].map((role) => processes.start(role, environment)))
    const [, edge, worker] = started as [Aglet, Aglet, Aglet]
    control = started[0]!
    for (const each of started) {
      const found = (await look(each.port, '/readyz'))!
      const says = '1 of 2 cannot be reached, and their tags get 503: shard 1: it has not responded since the start'
      assert.deepEqual([found.status, found.body.checks?.['production.shards']], [200, says])
      assert.equal(countOf(each, 'an event shard does not respond'), 2, 'once for each environment')
    }
    assert.equal((await send(edge, near, 'near-1')).status, 200)
    await until(() => processes.arrived.includes('near-1'), manyMs)
    const refused = await send(edge, far, 'far-1')
    assert.deepEqual([refused.status, refused.retryAfter > 0], [503, true])

    proxy.heal()
    await until(async () => (await send(edge, far, 'far-1')).status === 200, manyMs)
    await until(() => processes.arrived.includes('far-1'), manyMs)
    for (const each of started) {
      await until(async () => (await look(each.port, '/readyz'))?.body.checks?.['production.shards'] === 'ok', manyMs)
      assert.equal(countOf(each, 'cannot be used'), 0)
    }
    await Promise.all([control, edge, worker].map((each) => stopAglet(each)))
  })
})
