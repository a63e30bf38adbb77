import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { until } from './clock.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from './postgresServer.ts'
import { openTcpProxy, type TcpProxy } from './tcpProxy.ts'

const skip = await skipWithoutPostgres()

describe('a proxy between a client and PostgreSQL', { skip }, () => {
  let server: PostgresServer
  let proxy: TcpProxy
  let direct: pg.Client
  const open = async (port: number) => {
    const client = new pg.Client({ connectionString: server.url.replace(/:\d+\//, `:${port}/`) })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  const count = async () => Number((await direct.query('SELECT count(*) FROM noted')).rows[0].count)
  before(async () => {
    server = await startPostgres()
    proxy = await openTcpProxy(server.port, { isPostgres: true })
    direct = await open(server.port)
    await direct.query('CREATE TABLE noted (number int)')
  })
  after(async () => {
    await direct.end()
    await proxy.close()
    await server.stop()
  })

  test('the answer of a COMMIT is swallowed: the client hears of an error, and the row is stored', async () => {
    const client = await open(proxy.port)
    const earlier = await count()
    proxy.swallowCommits(1)
    await client.query('BEGIN')
    await client.query('INSERT INTO noted VALUES (1)')
    assert.equal(proxy.swallowed(), 0)
    await assert.rejects(client.query('COMMIT'), /terminated|ECONNRESET/)
    assert.equal(proxy.swallowed(), 1)
    assert.equal(await count(), earlier + 1)
  })

  test('the answer of a statement that commits by itself is swallowed too, also of a prepared one', async () => {
    const swallowed = proxy.swallowed()
    const earlier = await count()
    for (const query of ['INSERT INTO noted VALUES (2)', { text: 'INSERT INTO noted VALUES ($1)', values: [3] }]) {
      const client = await open(proxy.port)
      proxy.swallowCommits(1)
      assert.deepEqual((await client.query('SELECT 1 AS one')).rows, [{ one: 1 }])
      await assert.rejects(client.query(query), /terminated|ECONNRESET/)
    }
    assert.equal(proxy.swallowed(), swallowed + 2)
    assert.equal(await count(), earlier + 2)
  })

  test('a cut connection is an error, and the next one works', async () => {
    const client = await open(proxy.port)
    const asked = client.query('SELECT pg_sleep(60)')
    await until('it sleeps', async () => {
      const { rows } = await direct.query(
        `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%sleep(60)%' AND state = 'active' AND pid <> pg_backend_pid()`,
      )
      return rows.length > 0
    })
    proxy.cut()
    await assert.rejects(asked)
    const next = await open(proxy.port)
    await next.query('SELECT 1')
    await next.end()
  })

  test('in a black hole nothing is answered, and everything after it heals', async () => {
    const client = await open(proxy.port)
    proxy.blackHole()
    let isAnswered = false
    const asked = client.query('SELECT 7 AS seven').then(({ rows }) => {
      isAnswered = true
      return rows
    })
    const waiting = open(proxy.port)
    await direct.query('SELECT pg_sleep(0.2)')
    assert.equal(isAnswered, false)
    proxy.heal()
    assert.deepEqual(await asked, [{ seven: 7 }])
    await (await waiting).end()
    await client.end()
  })

  test('while it refuses nobody connects', async () => {
    proxy.refuse()
    await assert.rejects(open(proxy.port))
    proxy.heal()
    await (await open(proxy.port)).end()
  })

  test('with a delay every answer arrives', async () => {
    const client = await open(proxy.port)
    proxy.delay(30)
    for (const n of [1, 2, 3]) assert.deepEqual((await client.query('SELECT $1::int AS n', [n])).rows, [{ n }])
    proxy.heal()
    await client.end()
  })
})
