import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { Database } from '#postgres/database.ts'
import { createSchemas, type SchemaLocation } from '#store/postgres/storeOnSchema.fixture.ts'
import { at, baseChanges, deployment, plannedEvent, putUser, tag } from '#store/store.fixture.ts'
import { PartlyWritten, type StoreChange } from '#store/store.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { openTcpProxy, type TcpProxy } from '../../../test/fake/tcpProxy.ts'
import { openDatabase } from '../database.ts'
import { openShardedOn } from './shardedStore.fixture.ts'
import type { ShardedStore } from './shardedStore.ts'
import { refuseMissingShards, registerShards } from './shardList.ts'

const skip = await skipWithoutPostgres()
const audit: StoreChange = { add: 'audit', row: { at, by: 'tok_1', what: 'test', teamId: 'team_1' } }

describe('event shards', { skip }, () => {
  let server: PostgresServer
  let proxy: TcpProxy
  let schemas: SchemaLocation[]
  let store: ShardedStore
  let away: Database
  const pool = createSchemas(() => server.url)
  before(async () => {
    server = await startPostgres()
    proxy = await openTcpProxy(server.port)
  })
  after(async () => {
    await pool.close()
    await proxy.close()
    await server.stop()
  })
  /** The first shard is the control schema, and the second is reached by the proxy. */
  beforeEach(async () => {
    schemas = [await pool.take(), await pool.take(), await pool.take()]
    const { schema } = schemas[1]!.database
    away = openDatabase({ url: server.url.replace(`:${server.port}`, `:${proxy.port}`), schema, connections: 2 })
    store = await openShardedOn({ control: database(0), shards: [database(0), away] })
    await store.write(baseChanges)
    await store.write([{ add: 'tag', row: tag(2) }])
  })
  afterEach(async () => {
    proxy.heal()
    await store.close()
    await away.close()
    for (const each of schemas) await pool.giveBack(each)
  })
  const database = (number: number) => schemas[number]!.database
  const count = async (number: number, table: string) =>
    (await database(number).sql<{ count: number }>(`SELECT count(*) AS count FROM ${table}`))[0]!.count
  const user = (tagId: string) => ({ tagId, userId: 'usr_1', sealed: new Uint8Array([1]), seenAt: at })
  /** Deferred writes of shards are retried after five seconds. */
  const makeDeferredDue = () => database(0).sql(`UPDATE deferred_write SET at = at - interval '6 seconds'`)

  test('a new tag gets the shard with the fewest tags, the newest of several, and stays there', async () => {
    for (let n = 3; n <= 6; n++) await store.write([{ add: 'tag', row: tag(n) }])
    await store.write([{ put: 'tag', row: { ...tag(1), name: 'renamed' } }])
    const rows = await database(0).sql('SELECT id, shard FROM tag ORDER BY no')
    assert.deepEqual(
      rows.map(({ shard }) => shard),
      [1, 0, 1, 0, 1, 0],
    )
  })

  test('the rows of a tag lie on its shard, and the stored deployment names it', async () => {
    for (const tagId of ['tag_1', 'tag_2']) {
      await putUser(store.users, user(tagId))
      await store.journal.plan([plannedEvent(tagId === 'tag_1' ? 1 : 2, { tagId })])
      await store.write([{ add: 'deployment', row: deployment(1, tagId) }])
    }
    assert.deepEqual([await count(0, 'tag_user'), await count(1, 'tag_user')], [1, 1])
    assert.deepEqual([await count(0, 'event'), await count(1, 'event')], [1, 1])
    const stored = await database(0).sql<{ body: string }>(
      `SELECT body FROM snapshot_part WHERE body LIKE '%"consent"%' ORDER BY tag`,
    )
    assert.deepEqual(
      stored.map(({ body }) => JSON.parse(body).shard),
      [1, undefined],
    )
    assert.deepEqual(await store.deployment('tag_1'), deployment(1, 'tag_1'))
  })

  test('while a shard is down, the others are read and written, and it makes later what was told to it', async () => {
    for (const tagId of ['tag_1', 'tag_2']) await putUser(store.users, user(tagId))
    proxy.refuse()
    await putUser(store.users, { ...user('tag_2'), userId: 'usr_2' })
    await assert.rejects(store.users.get('tag_1', 'usr_1'))
    await store.write([audit, { erase: 'user', tagId: 'tag_1', userId: 'usr_1', at }])
    assert.equal((await store.audit('team_1', { limit: 9 })).rows.length, 1)
    assert.equal(await count(0, 'deferred_write'), 1)
    await makeDeferredDue()
    await store.writeDeferred()
    assert.equal(await count(0, 'deferred_write'), 1, 'the shard is still down')
    proxy.heal()
    await store.writeDeferred()
    assert.equal(await count(0, 'deferred_write'), 0)
    assert.equal((await store.users.get('tag_1', 'usr_1'))?.sealed.length, 0)
  })

  test('a write of a shard whose answer was lost is repeated', async () => {
    await putUser(store.users, user('tag_1'))
    const changes: StoreChange[] = [{ drop: 'tag', tagId: 'tag_1' }]
    await store.write([audit, ...changes])
    await database(0).sql(`INSERT INTO deferred_write (id, shard, changes) VALUES ('again', 1, $1)`, [
      JSON.stringify(changes),
    ])
    await makeDeferredDue()
    await store.writeDeferred()
    assert.deepEqual([await count(0, 'deferred_write'), await count(1, 'tag_user'), await count(0, 'tag')], [0, 0, 1])
  })

  test('a write that is refused leaves nothing to the shards', async () => {
    const taken: StoreChange = { add: 'tag', row: { ...tag(9), name: tag(2).name } }
    await assert.rejects(store.write([taken, { erase: 'user', tagId: 'tag_1', userId: 'usr_1', at }]))
    assert.deepEqual([await count(0, 'deferred_write'), await count(1, 'tag_user')], [0, 0])
  })

  test('counts of a shard that is down are returned to the caller, and those of the others are stored once', async () => {
    const rows = ['tag_1', 'tag_2'].map((tagId) => ({ tagId, at, of: 'tag' as const, calls: 1 }))
    proxy.refuse()
    await assert.rejects(store.write([{ add: 'refusedCalls', rows }]), (error) => {
      assert.ok(error instanceof PartlyWritten)
      assert.deepEqual(error.unwritten, [{ add: 'refusedCalls', rows: [rows[0]] }])
      return true
    })
    assert.equal(await count(0, 'refused_count'), 1)
  })

  test('the list of shards may be appended to, and a list with another order, a repetition or fewer is refused', async () => {
    const [control, second, third] = schemas.map((each) => each.database) as [Database, Database, Database]
    const refused = (shards: Database[], why: RegExp) => assert.rejects(registerShards(control, shards), why)
    await refused([control], /names 1 databases, and 2 were in use/)
    await refused([control, third], /number 2 of AGLET_STREAM_URL has changed/)
    await refused([second, control], /number 1 of AGLET_STREAM_URL has changed/)
    await refused([control, second, second], /number 3 of AGLET_STREAM_URL is listed twice/)
    await assert.rejects(refuseMissingShards(control), /AGLET_STREAM_URL is not set/)
    await assert.rejects(refuseMissingShards(second), /is an event shard of another database/)
    await assert.rejects(
      registerShards(third, [second]),
      /number 1 of AGLET_STREAM_URL is the event shard 1 of another/,
    )
    await refuseMissingShards(third)
    assert.equal(await registerShards(control, [control, second, third]), 0)
    const [pack] = await third.sql<{ no: number }>(
      `INSERT INTO bodies (at, failed, tag, sealed) VALUES (1, false, 'tag_1', '') RETURNING no`,
    )
    assert.equal(pack!.no, 2 * 2 ** 40 + 1)
  })

  test('a database with tags is the first shard', async () => {
    const [, , third] = schemas.map((each) => each.database)
    await third!.sql(`INSERT INTO team (id, name, sealed_key, created_at) VALUES ('team_1', 'x', '', 1)`)
    await third!.sql(
      `INSERT INTO tag (id, team, name, settings, created_at, version) VALUES ('tag_1', 'team_1', 'x', '{}', 1, 1)`,
    )
    await assert.rejects(registerShards(third!, [database(1)]), /must start with the database of AGLET_DATABASE_URL/)
  })
})
