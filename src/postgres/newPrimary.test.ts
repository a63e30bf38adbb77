import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { until } from '../../test/fake/clock.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../test/fake/postgresServer.ts'
import { openTcpProxy, type TcpProxy } from '../../test/fake/tcpProxy.ts'
import { type Database, openDatabase } from './database.ts'
import { DatabaseAway } from './databaseError.ts'

const skip = await skipWithoutPostgres()

describe('when the primary stands still and another host is one', { skip, timeout: 60_000 }, () => {
  let servers: PostgresServer[]
  let old: TcpProxy
  let database: Database
  let connected: number
  before(async () => {
    servers = await Promise.all([startPostgres(), startPostgres()])
    old = await openTcpProxy(servers[0]!.port)
    connected = 0
    const hosts = [old, servers[1]!].map(({ port }) => `127.0.0.1:${port}`)
    const url = `postgres://aglet@${hosts}/postgres`
    // Only the search ends an unanswered statement.
    database = openDatabase({ url, schema: 'public', connections: 2, timeoutMs: 600_000 })
  })
  after(async () => {
    await old.close()
    await database.close()
    await Promise.all(servers.map((server) => server.stop()))
  })
  const port = async () => (await database.sql<{ port: number }>('SELECT inet_server_port() AS port'))[0]!.port

  test('statements fail that wait for it, and later ones and listeners go to the other', async () => {
    const listener = database.listen('change', { notified: () => {}, connected: () => connected++ })
    await until('it listens', () => connected === 1)
    assert.equal(await port(), servers[0]!.port)
    old.blackHole()
    const failed = await Promise.allSettled([port(), port(), port(), port()])
    for (const each of failed)
      if (each.status === 'rejected') assert.ok(each.reason instanceof DatabaseAway, String(each.reason))
      else assert.equal(each.value, servers[1]!.port)
    assert.equal(failed[0]!.status, 'rejected')
    assert.equal(await port(), servers[1]!.port)
    await until('it listens again', () => connected === 2)
    await listener.close()
  })
})
