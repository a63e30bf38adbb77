import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { until } from '../../test/fake/clock.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../test/fake/postgresServer.ts'
import { checkDatabase, countStandbys } from './checkDatabase.ts'
import { type Database, openDatabase } from './database.ts'
import { CommitUnknown, DatabaseAway, DatabaseError } from './databaseError.ts'
import { migrate, readMigrations } from './migrate.ts'
import { OwnershipLost, ownerTransaction } from './ownership.ts'
import { parseDatabaseUrl } from './primary.ts'

test('a database URL names one or several hosts, each with or without a port', () => {
  const { hosts, parts } = parseDatabaseUrl('postgres://me:secret@one,two:6000,[::1]:7000/name?sslmode=disable')
  assert.deepEqual(hosts, [
    { host: 'one', port: 5432 },
    { host: 'two', port: 6000 },
    { host: '::1', port: 7000 },
  ])
  assert.deepEqual([parts.user, parts.password, parts.database], ['me', 'secret', 'name'])
})

test('an invalid database URL is refused without its password', () => {
  for (const url of ['mysql://me:secret@host/name', 'postgres://me:secret@/name', 'postgres://me:secret@a:b:c/name'])
    assert.throws(
      () => parseDatabaseUrl(url),
      (error: Error) => !error.message.includes('secret'),
    )
})

test('the number of standbys that each commit waits for is read from the server setting', () => {
  assert.deepEqual(
    ['', 'a', 'a, b', 'ANY 1 (a, b)', 'FIRST 2 (a, b)', '2 (a,b)', '*'].map(countStandbys),
    [0, 1, 1, 1, 2, 2, 1],
  )
})

const skip = await skipWithoutPostgres()

describe('a PostgreSQL database', { skip }, () => {
  let server: PostgresServer
  let database: Database
  before(async () => {
    server = await startPostgres()
    database = openDatabase({ url: server.url, schema: 'production', connections: 4 })
    await migrate(database)
  })
  after(async () => {
    await database.close()
    await server.stop()
  })

  test('a schema with a newer migration that only adds is used as it is, and one that needs it is refused', async () => {
    const other = openDatabase({ url: server.url, schema: 'newer', connections: 3 })
    const known = await readMigrations()
    const count = async () => (await other.sql('SELECT * FROM migration')).length
    await migrate(other)
    assert.deepEqual(await Promise.all([count(), count(), count()]), Array(3).fill(known.length))
    const changed = 'ALTER TABLE migration ADD COLUMN more int;\n' // the table has prepared statements
    await migrate(other, [...known, { name: 'more.sql', text: changed }])
    assert.equal(await count(), known.length + 1)
    assert.equal(
      await other.transaction(async (sql) => (await sql('SELECT * FROM migration')).length),
      known.length + 1,
    )
    await migrate(other)
    const removing = [
      ...known,
      { name: 'more.sql', text: changed },
      { name: 'x', text: `-- least: ${known.length + 1}\n` },
    ]
    await migrate(other, removing)
    const refusal = new RegExp(`requires ${known.length + 1} migrations, but this version knows ${known.length}`)
    await assert.rejects(migrate(other), refusal)
    await migrate(other, removing.slice(0, -1))
    await other.close()
  })

  test('a schema whose migrations were replaced before the first release is refused', async () => {
    const other = openDatabase({ url: server.url, schema: 'replaced', connections: 2 })
    await migrate(other)
    await other.sql("UPDATE migration SET name = '0001-older.sql' WHERE number = 1")
    await assert.rejects(migrate(other), /from before the first release \(migration 0001-older\.sql\).*aglet apply/)
    await other.close()
  })

  test('migrations are applied once, also by two processes at a time', async () => {
    const other = openDatabase({ url: server.url, schema: 'twice', connections: 2 })
    await Promise.all([migrate(other), migrate(other)])
    await migrate(other)
    const [row] = await other.sql('SELECT count(*) AS slots FROM slot')
    assert.deepEqual(row, { slots: 256 })
    await other.close()
  })

  test('a transaction that throws stores nothing', async () => {
    const work = database.transaction(async (sql) => {
      await sql(`INSERT INTO lease VALUES ('half', 'me', 1)`)
      throw new Error('no')
    })
    await assert.rejects(work, /^Error: no$/)
    assert.deepEqual(await database.sql(`SELECT * FROM lease WHERE name = 'half'`), [])
  })

  test('an error that the work of a transaction throws is not changed', async () => {
    const own = Object.assign(new Error('own'), { code: 'badRequest' })
    const work = database.transaction(async () => {
      throw own
    })
    await assert.rejects(work, (error) => error === own)
  })

  test('a prepared statement goes on when another version has added a column to its table', async () => {
    await database.sql('CREATE TABLE widened (id int)')
    await database.sql('INSERT INTO widened VALUES (1)')
    const read = () => database.sql('SELECT * FROM widened')
    // on every connection of the pool
    await Promise.all(
      Array.from({ length: 4 }, () =>
        database.transaction(async (sql) => {
          await sql('SELECT * FROM widened')
          await sql('SELECT pg_sleep(0.05)')
        }),
      ),
    )
    await database.sql('ALTER TABLE widened ADD COLUMN more int DEFAULT 2')
    assert.deepEqual(await read(), [{ id: 1, more: 2 }])
    const update = (sql: typeof database.sql) => sql('UPDATE widened SET id = 3 RETURNING *')
    assert.deepEqual(await database.transaction(update), [{ id: 3, more: 2 }])
    assert.deepEqual(await database.transaction((sql) => sql('SELECT * FROM widened')), [{ id: 3, more: 2 }])
  })

  test('a transaction that cannot be rolled back, because its connection broke, finds the database away', async () => {
    const refused = database.transaction(async (sql) => {
      const [own] = await sql<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      await database.sql('SELECT pg_terminate_backend($1)', [own!.pid])
      throw new RangeError('of the work')
    })
    await assert.rejects(refused, DatabaseAway)
    assert.deepEqual(await database.sql('SELECT 1 AS one'), [{ one: 1 }])
  })

  test('a commit that no standby has confirmed, because the wait was cancelled, is unknown', async () => {
    const text = `DO $$ BEGIN RAISE WARNING USING ERRCODE = '01000', MESSAGE = 'canceling wait'; END $$`
    await assert.rejects(database.sql(text), CommitUnknown)
    await database.sql('SELECT 1')
  })

  test('of two transactions that lock two rows in opposite order both succeed', async () => {
    await database.sql(`INSERT INTO lease SELECT name, 'me', 0 FROM unnest(ARRAY['a', 'b']) AS name`)
    const add = (names: string[]) =>
      database.transaction(async (sql) => {
        for (const name of names) await sql('UPDATE lease SET until_ms = until_ms + 1 WHERE name = $1', [name])
      })
    for (let round = 0; round < 10; round++) await Promise.all([add(['a', 'b']), add(['b', 'a'])])
    assert.deepEqual(await database.sql(`SELECT until_ms FROM lease WHERE name IN ('a', 'b')`), [
      { until_ms: 20 },
      { until_ms: 20 },
    ])
  })

  test('an error names its SQLSTATE and its constraint', async () => {
    await assert.rejects(
      database.sql('INSERT INTO slot VALUES (0)'),
      (error) => error instanceof DatabaseError && error.code === '23505' && error.constraint === 'slot_pkey',
    )
  })

  test('a text with a NUL character, which PostgreSQL cannot store, has a replacement character instead', async () => {
    const rows = await database.sql('SELECT $1::text AS alone, ($2::text[])[1] AS listed', ['a\0b', ['\0']])
    assert.deepEqual(rows, [{ alone: 'a\ufffdb', listed: '\ufffd' }])
  })

  test('bytes are read as bytes of their own', async () => {
    const [row] = await database.sql<{ bytes: Uint8Array }>('SELECT $1::bytea AS bytes', [Uint8Array.of(0, 255)])
    assert.deepEqual(row, { bytes: Uint8Array.of(0, 255) })
    assert.equal(row!.bytes.buffer.byteLength, 2)
  })

  test('a worker whose member row was deleted stores nothing', async () => {
    await database.sql(`INSERT INTO member VALUES ('worker', 'worker', '1', 1, 0)`)
    const ownership = { memberId: 'worker', slots: () => [0] }
    const write = () =>
      ownerTransaction(database, ownership, (sql) => sql(`INSERT INTO lease VALUES ('owned', 'worker', 1)`))
    await write()
    await database.sql(`DELETE FROM member WHERE id = 'worker'`)
    await database.sql(`DELETE FROM lease WHERE name = 'owned'`)
    await assert.rejects(write(), OwnershipLost)
    assert.deepEqual(await database.sql(`SELECT * FROM lease WHERE name = 'owned'`), [])
  })

  test('who takes the slots of a worker waits for its transaction, and it stores nothing after that', async () => {
    await database.sql(`INSERT INTO member VALUES ('slow', 'worker', '1', 1, 0)`)
    const order: string[] = []
    const taken = Promise.withResolvers<void>()
    const write = ownerTransaction(database, { memberId: 'slow', slots: () => [] }, async () => {
      taken.resolve()
      const deleting = database.sql(`DELETE FROM member WHERE id = 'slow'`).then(() => order.push('taken'))
      await until('the deletion waits', async () => {
        const waiting = await database.sql(`SELECT 1 FROM pg_locks WHERE NOT granted`)
        return waiting.length > 0
      })
      order.push('written')
      return { deleting }
    })
    await taken.promise
    await (await write).deleting
    assert.deepEqual(order, ['written', 'taken'])
  })

  test('a listener hears what is notified after it has connected', async () => {
    const heard: string[] = []
    let connections = 0
    const listener = database.listen('change', {
      notified: (payload) => heard.push(payload),
      connected: () => connections++,
    })
    await until('it listens', () => connections === 1)
    await database.sql(`SELECT pg_notify('production_change', '7')`)
    await until('it is heard', () => heard.includes('7'))
    await database.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`)
    await until('it listens again', () => connections === 2)
    await database.sql(`SELECT pg_notify('production_change', '8')`)
    await until('it is heard', () => heard.includes('8'))
    await listener.close()
  })

  test('a server that writes nothing through to its disk is refused with the setting', async () => {
    await assert.rejects(checkDatabase(database, 0), /fsync = off/)
  })

  test('the host that accepts writes is found among several, and without one the database is away', async () => {
    const url = server.url.replace('@', '@127.0.0.1:1,')
    const several = openDatabase({ url, schema: 'production', connections: 1 })
    assert.deepEqual(await several.sql('SELECT 1 AS one'), [{ one: 1 }])
    await several.close()
    const nobody = openDatabase({ url: 'postgres://aglet@127.0.0.1:1/postgres', schema: 'production', connections: 1 })
    await assert.rejects(nobody.sql('SELECT 1'), DatabaseAway)
    await nobody.close()
  })
})
