import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type Database, openDatabase } from '#postgres/database.ts'
import { migrate } from '#postgres/migrate.ts'
import { emailLaws } from '#store/emails.suite.ts'
import { at } from '#store/store.fixture.ts'
import { maxClaims, type UserStore } from '#store/users.ts'
import { until } from '../../../test/fake/clock.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { deleteDroppedTag } from './droppedTags.ts'
import { dropUser, eraseUserProfile } from './userChanges.ts'
import { createUserStore } from './userStore.ts'

const skip = await skipWithoutPostgres()
const user = (userId: string, seenAt = at, tagId = 'tag_1') => ({ tagId, userId, sealed: randomBytes(8), seenAt })

describe('users in PostgreSQL', { skip }, () => {
  let server: PostgresServer
  let databases: Database[]
  let stores: UserStore[]
  before(async () => {
    server = await startPostgres()
    databases = [1, 2].map(() => openDatabase({ url: server.url, schema: 'production', connections: 4 }))
    await migrate(databases[0]!)
    stores = databases.map(createUserStore)
  })
  after(async () => {
    await Promise.all(databases.map((each) => each.close()))
    // A connection reports its deadlocks when it ends, at the latest.
    const own = openDatabase({ url: server.url, schema: 'production', connections: 1 })
    const others = `SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`
    await until('the other connections have ended', async () => (await own.sql(others)).length === 0)
    const deadlocks = await own.sql('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')
    await own.close()
    await server.stop()
    assert.deepEqual(deadlocks, [{ deadlocks: 0 }])
  })

  emailLaws(() => stores[0]!)

  test('of two processes that change the same version of a user, one stores its write', async () => {
    for (let version = 0; version < 100; version++) {
      const writes = stores.map((store) => store.put([{ user: user('usr_both'), basedOn: version }]))
      const results = (await Promise.all(writes)).flat()
      assert.deepEqual(results.toSorted(), [false, true])
    }
    assert.equal((await stores[0]!.get('tag_1', 'usr_both'))?.version, 100)
  })

  test('of two processes that greet a new user, one inserts it, and both store what else they have', async () => {
    for (let n = 0; n < 100; n++) {
      const batches = stores.map((store, process) => {
        const writes = [user(`usr_new${n}`), user(`usr_${n}_of${process}`)]
        return store.put(writes.map((each) => ({ user: each, basedOn: 0 })))
      })
      const [one, other] = await Promise.all(batches)
      assert.notEqual(one![0], other![0])
      assert.deepEqual([one![1], other![1]], [true, true])
    }
  })

  test('after 300 races for a new e-mail both processes agree on its user', async () => {
    const emails = Array.from({ length: 300 }, () => randomBytes(16))
    for (const [n, email] of emails.entries())
      await Promise.all(
        stores.map((store, process) => {
          const lookupKeys = { confirmed: [email], claims: [email] }
          return store.put([{ user: user(`usr_race${n}_${process}`), lookupKeys, basedOn: 0 }])
        }),
      )
    const [one, other] = await Promise.all(stores.map((store) => store.byEmails('tag_1', emails)))
    assert.deepEqual(one, other)
    for (const { confirmed, claimants } of one!) {
      assert.ok(confirmed)
      assert.equal(claimants.length, 2)
    }
  })

  test('no refusal is lost when many processes claim an e-mail at once', async () => {
    for (const count of [maxClaims, 3 * maxClaims]) {
      const email = randomBytes(16)
      const lookupKeys = { claims: [email], overallConsent: 'refuses' } as const
      const userIds = Array.from({ length: count }, (_, n) => `usr_refuses${count}_${n}`)
      await Promise.all(userIds.map((userId, n) => stores[n % 2]!.put([{ user: user(userId), lookupKeys }])))
      const { claimants, isCrowded } = await stores[0]!.byEmail('tag_1', email)
      assert.ok(isCrowded || userIds.every((userId) => claimants.includes(userId)))
      if (count === maxClaims) assert.equal(isCrowded, false)
    }
  })

  test('batches that share users and e-mails in any order are all stored', async () => {
    const emails = Array.from({ length: 20 }, () => randomBytes(16))
    const batch = (from: number) =>
      Array.from({ length: 20 }, (_, n) => {
        const no = (n * 7 + from) % 20
        const isUnnamed = no % 5 === from % 5
        return {
          user: user(`usr_share${no}`, at + from),
          lookupKeys: { claims: [emails[no]!, emails[(no + from) % 20]!], customs: [emails[no]!], isUnnamed },
        }
      })
    for (let round = 0; round < 20; round++) {
      const results = await Promise.all([0, 1, 2, 3].map((n) => stores[n % 2]!.put(batch(round + n))))
      assert.ok(results.flat().every(Boolean))
    }
    assert.equal((await stores[0]!.get('tag_1', 'usr_share3'))?.version, 80)
  })

  test('the writes of one user in a batch are stored in their order', async () => {
    const [early, late] = [randomBytes(16), randomBytes(16)]
    const write = (seenAt: number, email: Uint8Array, basedOn: number) => {
      return {
        user: user('usr_order', seenAt),
        lookupKeys: { claims: [email], customs: [email], isUnnamed: true },
        basedOn,
      }
    }
    const [store] = stores
    const results = await store!.put([write(at, early, 0), write(at + 1, late, 0), write(at + 2, late, 1)])
    assert.deepEqual(results, [true, false, true])
    const stored = await store!.get('tag_1', 'usr_order')
    assert.deepEqual([stored?.version, stored?.seenAt], [2, at + 2])
    const found = await store!.byEmails('tag_1', [early, late])
    assert.deepEqual(
      found.map(({ claimants }) => claimants),
      [[], ['usr_order']],
    )
    assert.deepEqual(await store!.byCustom('tag_1', early, 5), [])
    assert.deepEqual(await store!.byCustom('tag_1', late, 5), ['usr_order'])
  })

  test('a write and an erasure at once leave either the erased row, or a write that was made after it', async () => {
    const email = randomBytes(16)
    for (let n = 0; n < 50; n++) {
      const userId = `usr_erase${n}`
      await stores[0]!.put([{ user: user(userId), lookupKeys: { claims: [email] } }])
      const [[isStored]] = await Promise.all([
        stores[0]!.put([{ user: user(userId), lookupKeys: { claims: [email] }, basedOn: 1 }]),
        databases[1]!.transaction((sql) => eraseUserProfile(sql, { erase: 'user', tagId: 'tag_1', userId, at })),
      ])
      const stored = await stores[0]!.get('tag_1', userId)
      assert.deepEqual([stored?.sealed.length, stored?.version], [0, isStored ? 3 : 2])
      assert.ok(!(await stores[0]!.byEmail('tag_1', email)).claimants.includes(userId))
    }
  })

  test('a user who was seen meanwhile is not dropped, and a dropped tag leaves no user', async () => {
    const [store] = stores
    const email = randomBytes(16)
    const lookupKeys = { claims: [email], customs: [email] }
    const inTag = (userId: string) => ({ user: user(userId, at, 'tag_gone'), lookupKeys })
    await store!.put([inTag('usr_1'), inTag('usr_2'), { user: user('usr_stays'), lookupKeys }])
    const drop = (userId: string, seenAt: number) =>
      databases[0]!.transaction((sql) => dropUser(sql, { drop: 'user', tagId: 'tag_gone', userId, seenAt }))
    await drop('usr_1', at - 1)
    await drop('usr_2', at)
    assert.deepEqual((await store!.byEmail('tag_gone', email)).claimants, ['usr_1'])
    await deleteDroppedTag(databases[0]!, 'tag_gone')
    assert.equal(await store!.get('tag_gone', 'usr_1'), undefined)
    assert.deepEqual(await store!.byCustom('tag_gone', email, 5), [])
    assert.deepEqual(await store!.byCustom('tag_1', email, 5), ['usr_stays'])
  })
})
