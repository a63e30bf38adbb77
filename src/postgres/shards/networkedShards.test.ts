import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { slotOf } from '#cluster/slotOf.ts'
import { type Database, openDatabase } from '#postgres/database.ts'
import { OwnershipLost } from '#postgres/ownership.ts'
import { openPostgresStore } from '#store/postgres/postgresStore.ts'
import { createSchemas, type SchemaLocation } from '#store/postgres/storeOnSchema.fixture.ts'
import { at, baseChanges, plannedEvent, tag } from '#store/store.fixture.ts'
import type { StoreChange } from '#store/store.ts'
import { shardOfPosition } from '#stream/postgres/positions.ts'
import { openPostgresStream } from '#stream/postgres/postgresStream.ts'
import { openFaultyDatabase } from '#stream/postgres/streamOnSchema.fixture.ts'
import { entry } from '#stream/stream.fixture.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { openTcpProxy, type TcpProxy } from '../../../test/fake/tcpProxy.ts'
import { openShardedOn } from './shardedStore.fixture.ts'
import { openWorkerStore, type ShardedStore } from './shardedStore.ts'
import { openShardedStream } from './shardedStream.ts'

const skip = await skipWithoutPostgres()
const audit = (what: string): StoreChange => ({ add: 'audit', row: { at, by: 'tok_1', what, teamId: 'team_1' } })
const noKeys = { claims: [], confirmed: [], customs: [], isUnnamed: false }
const user = (tagId: string, by: number) => ({ tagId, userId: 'usr_1', sealed: new Uint8Array([by]), seenAt: at })
const erased = (tagId: string): StoreChange => ({ erase: 'user', tagId, userId: 'usr_1', at })

/** A process that reaches each database through a proxy. */
type Process = { control: TcpProxy; shard: TcpProxy; databases: Database[]; store: ShardedStore }

// Tags 1 and 3 lie on shard 1, tag 2 lies on shard 0, which is the control schema.
describe('a sharded store that two processes have open', { skip, timeout: 60_000 }, () => {
  let server: PostgresServer
  let schemas: SchemaLocation[]
  let proxies: TcpProxy[]
  let processes: Process[]
  const pool = createSchemas(() => server.url)
  before(async () => {
    server = await startPostgres()
    proxies = await Promise.all([1, 2, 3, 4].map(() => openTcpProxy(server.port, { isPostgres: true })))
  })
  after(async () => {
    await pool.close()
    for (const each of proxies) await each.close()
    await server.stop()
  })
  const openAt = (proxy: TcpProxy, { database: { schema } }: SchemaLocation) =>
    openDatabase({ url: server.url.replace(`:${server.port}`, `:${proxy.port}`), schema, connections: 4 })
  async function openProcess(control: TcpProxy, shard: TcpProxy): Promise<Process> {
    const databases = [openAt(control, schemas[0]!), openAt(shard, schemas[1]!)]
    return {
      ...{ control, shard, databases },
      store: await openShardedOn({ control: databases[0]!, shards: databases }),
    }
  }
  beforeEach(async () => {
    schemas = [await pool.take(), await pool.take()]
    processes = [await openProcess(proxies[0]!, proxies[1]!), await openProcess(proxies[2]!, proxies[3]!)]
    await processes[0]!.store.write(baseChanges)
    for (const n of [2, 3]) await processes[1]!.store.write([{ add: 'tag', row: tag(n) }])
  })
  afterEach(async () => {
    for (const each of proxies) each.heal()
    for (const { store, databases } of processes) {
      await store.close()
      await Promise.all(databases.map((each) => each.close()))
    }
    for (const each of schemas) await pool.giveBack(each)
  })
  const stores = () => processes.map(({ store }) => store)
  const sqlOf = (number: number, text: string) => schemas[number]!.database.sql(text)
  const count = async (number: number, from: string) =>
    (await sqlOf(number, `SELECT count(*)::int AS count FROM ${from}`))[0]!.count
  const auditOf = async (what: string) => (await stores()[1]!.audit('team_1', { limit: 50 }, { what })).rows.length
  const makeDeferredDue = () => sqlOf(0, `UPDATE deferred_write SET at = at - interval '6 seconds'`)

  test('tags that both make at once have one shard each, which both processes find', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, n) => stores()[n % 2]!.write([{ add: 'tag', row: tag(n + 10) }])))
    for (let n = 10; n < 20; n++) {
      const tagId = `tag_${n}`
      await stores()[n % 2]!.users.put([{ user: user(tagId, 1), lookupKeys: noKeys, basedOn: 0 }])
      assert.ok(await stores()[(n + 1) % 2]!.users.get(tagId, 'usr_1'), tagId)
      const [row] = await sqlOf(0, `SELECT shard FROM tag WHERE id = '${tagId}'`)
      assert.equal(await count(Number(row!.shard), `tag_user WHERE tag = '${tagId}'`), 1)
    }
  })

  test('of two writes of a user on the same base one is stored, also if the answers of one process come later', async () => {
    processes[0]!.shard.delay(20)
    for (const tagId of ['tag_1', 'tag_2'])
      for (let basedOn = 0; basedOn < 5; basedOn++) {
        const puts = stores().map((store, by) =>
          store.users.put([{ user: user(tagId, by), lookupKeys: noKeys, basedOn }]),
        )
        const results = (await Promise.all(puts)).flat()
        assert.deepEqual(results.toSorted(), [false, true])
        const stored = await Promise.all(stores().map((store) => store.users.get(tagId, 'usr_1')))
        for (const each of stored) assert.equal(each?.sealed[0], results.indexOf(true))
      }
  })

  test('events of tags of both shards that both processes plan at once are planned once, in any order of answers', async () => {
    processes[1]!.shard.delay(30)
    for (let round = 0; round < 3; round++) {
      const plans = ['tag_1', 'tag_2', 'tag_3'].map((tagId, n) => plannedEvent(round * 10 + n, { tagId }))
      await Promise.all([processes[0]!.store.journal.plan(plans), processes[1]!.store.journal.plan(plans.toReversed())])
    }
    assert.deepEqual([await count(0, 'event'), await count(1, 'event')], [3, 6])
    assert.deepEqual(await sqlOf(1, 'SELECT sum(count)::int AS events FROM event_count'), [{ events: 6 }])
  })

  test('a change of both parts whose answer one database loses is made once', async () => {
    const [{ store, control, shard }] = processes as [Process, Process]
    for (const [what, proxy] of Object.entries({ control, shard })) {
      await store.users.put([{ user: user('tag_1', 1), lookupKeys: noKeys, basedOn: 0 }])
      const before = proxy.swallowed()
      proxy.swallowCommits(1)
      await store.write([audit(what), erased('tag_1')])
      assert.equal(proxy.swallowed(), before + 1, 'an answer was lost')
      assert.equal(await auditOf(what), 1)
      await makeDeferredDue()
      await processes[1]!.store.writeDeferred()
      assert.equal(await count(0, 'deferred_write'), 0)
      assert.equal((await processes[1]!.store.users.get('tag_1', 'usr_1'))?.sealed.length, 0)
      await sqlOf(1, 'DELETE FROM tag_user')
    }
  })

  test('what a shard is to write is written after its return by any process, also by both at once, in its order', async () => {
    const [first, second] = processes as [Process, Process]
    for (const tagId of ['tag_1', 'tag_3'])
      await first.store.users.put([{ user: user(tagId, 1), lookupKeys: noKeys, basedOn: 0 }])
    for (const { shard } of processes) shard.refuse()
    await first.store.write([audit('erase'), erased('tag_1')])
    await second.store.write([audit('erase'), erased('tag_3')])
    await second.store.write([audit('drop'), { drop: 'tag', tagId: 'tag_3' }])
    assert.equal(await count(0, 'deferred_write'), 3)
    for (const { shard } of processes) shard.heal()
    await makeDeferredDue()
    first.shard.delay(20)
    first.shard.swallowCommits(1)
    await Promise.all(stores().map((store) => store.writeDeferred()))
    await Promise.all(stores().map((store) => store.writeDeferred()))
    assert.equal(await count(0, 'deferred_write'), 0)
    assert.deepEqual(await sqlOf(1, 'SELECT tag, length(sealed) AS bytes FROM tag_user'), [{ tag: 'tag_1', bytes: 0 }])
    assert.deepEqual([await auditOf('erase'), await auditOf('drop')], [2, 1])
  })

  test('a worker that has lost the lease of one shard writes nothing there, and goes on at the other', async () => {
    const [{ store, databases }] = processes as [Process, Process]
    for (const shard of [0, 1]) await sqlOf(shard, `INSERT INTO member VALUES ('worker_${shard}', 'worker', '1', 1, 0)`)
    const workers = await Promise.all(
      databases.map(async (database, shard) => {
        const slots = () => ['tag_1', 'tag_2', 'tag_3'].map(slotOf)
        const ownership = { memberId: `worker_${shard}`, slots }
        return openWorkerStore(store, await openPostgresStore({ database, ownership }), shard)
      }),
    )
    const planAt = (worker: number, position: number) =>
      workers[worker]!.journal.plan([plannedEvent(position, { tagId: ['tag_2', 'tag_1'][worker]! })])
    await Promise.all([planAt(0, 1), planAt(1, 2)])
    await sqlOf(1, `DELETE FROM member`)
    await assert.rejects(planAt(1, 3), OwnershipLost)
    await planAt(0, 4)
    assert.deepEqual([await count(0, 'event'), await count(1, 'event')], [2, 1])
  })

  test('of a key that both append, one is new, also if the answer of a shard is lost or late, and its position names the shard', async () => {
    const faulty = openFaultyDatabase(processes[0]!.databases[1]!, /INSERT INTO todo/)
    const openStream = async (databases: readonly Database[]) => {
      const clock = { now: () => Date.now() }
      const parts = databases.map((database, shard) => openPostgresStream({ database, clock, shard }))
      const shardOfTag = async (tagId: string) => (tagId === 'tag_2' ? 0 : 1)
      return openShardedStream({ streams: await Promise.all(parts), shardOfTag, shardOfPosition })
    }
    const [one, other] = processes.map(({ databases }) => databases) as [Database[], Database[]]
    const streams = await Promise.all([openStream([one[0]!, faulty.database]), openStream(other)])
    processes[1]!.shard.delay(10)
    for (let key = 1n; key <= 12n; key++) {
      const tagId = key % 3n === 0n ? 'tag_2' : 'tag_1'
      faulty.setFaults(tagId === 'tag_1' ? [key % 2n === 0n ? 'committed' : 'late'] : [])
      const results = await Promise.all(streams.map((stream) => stream.append({ ...entry([key]), tagId })))
      await faulty.settled()
      assert.deepEqual(results.flat().toSorted(), [false, true])
      const places = await Promise.all(streams.map((stream) => stream.find(key)))
      assert.deepEqual(places[0], places[1])
      assert.equal(shardOfPosition(places[0]!.position), tagId === 'tag_2' ? 0 : 1)
    }
    assert.deepEqual([await count(0, 'todo'), await count(1, 'todo')], [4, 8])
    await Promise.all(streams.map((stream) => stream.close()))
  })
})
