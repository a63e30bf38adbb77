import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Database, Sql } from '#postgres/database.ts'
import { openDatabase } from '#postgres/database.ts'
import { CommitUnknown } from '#postgres/databaseError.ts'
import { OwnershipLost } from '#postgres/ownership.ts'
import { dropAllExpired } from '#store/retention.fixture.ts'
import { at, baseChanges, deployment, tag, team } from '#store/store.fixture.ts'
import { Conflict, type HostClaim, type PersonRecord, type StoreChange, Unwritable } from '#store/store.ts'
import { until } from '../../../test/fake/clock.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { openPostgresStore } from './postgresStore.ts'
import { createSchema, type SchemaLocation } from './storeOnSchema.fixture.ts'
import { openWrites } from './writeChanges.ts'

const skip = await skipWithoutPostgres()
const bytes = (text: string) => new Uint8Array(Buffer.from(text))
const isConflict = (unique: Conflict['unique']) => (error: unknown) =>
  error instanceof Conflict && error.unique === unique
const entry = (what: string): StoreChange => ({ add: 'audit', row: { at, by: 'tok_1', what, teamId: 'team_1' } })
const putHosts = (tagId: string, ...hosts: string[]): StoreChange => ({ put: 'hosts', tagId, hosts, at })

describe('a control store that several processes have open', { skip }, () => {
  let server: PostgresServer
  let schema: SchemaLocation
  let databases: Database[]
  let stores: Awaited<ReturnType<typeof openPostgresStore>>[]
  const acknowledgedSeqs: number[] = []
  before(async () => {
    server = await startPostgres()
    schema = await createSchema(server.url)
    databases = [1, 2].map(schema.openDatabase)
    const acknowledged = async (seq: number) => {
      const [row] = await schema.database.sql('SELECT 1 FROM change WHERE seq = $1', [seq])
      assert.ok(row, 'it is committed')
      acknowledgedSeqs.push(seq)
    }
    stores = await Promise.all(
      databases.map((database) => openPostgresStore({ database, queryDatabase: database, acknowledged })),
    )
    await stores[0]!.write(baseChanges)
  })
  after(async () => {
    for (const each of databases) await each.close()
    await schema.remove()
    await server.stop()
  })

  /** Both processes write at once. Exactly one write succeeds, and the other is the conflict. */
  async function race(change: (process: number) => readonly StoreChange[], unique: Conflict['unique']): Promise<void> {
    const results = await Promise.allSettled(stores.map((store, process) => store.write(change(process))))
    const failures = results.filter((each) => each.status === 'rejected')
    assert.equal(failures.length, 1)
    assert.ok(isConflict(unique)(failures[0]!.reason), String(failures[0]!.reason))
  }
  const auditOf = async (what: string) => (await stores[0]!.audit('team_1', { limit: 50 }, { what })).rows.length

  test('of two sign-ups with one e-mail, one succeeds, and nothing of the other is stored', async () => {
    const person = (n: number, process: number): PersonRecord => ({
      personId: `per_${n}_${process}`,
      name: '',
      role: 'member',
      emailKey: bytes(`email ${n}`),
      sealed: bytes('sealed'),
      createdAt: at,
    })
    for (let n = 0; n < 20; n++)
      await race((process) => [entry(`signUp${n}`), { add: 'person', row: person(n, process) }], 'person.email')
    for (let n = 0; n < 20; n++) assert.equal(await auditOf(`signUp${n}`), 1)
  })

  test('of two deployments with one number, one succeeds', async () => {
    for (let number = 1; number <= 20; number++)
      await race(() => [{ add: 'deployment', row: deployment(number) }], 'deployment.number')
    assert.equal((await stores[1]!.deployment('tag_1'))?.number, 20)
  })

  test('of two uses of a one-time secret, one succeeds', async () => {
    for (let n = 0; n < 20; n++) {
      const use: StoreChange = { account: { use: 'once', hash: bytes(`once ${n}`), expiresAt: at } }
      await race(() => [entry(`use${n}`), use], 'used')
      assert.equal(await auditOf(`use${n}`), 1)
    }
  })

  test('a sign-in that waits for a reset of the password in another process leaves no session', async () => {
    const person: PersonRecord = {
      ...{ personId: 'per_reset', name: '', role: 'member', emailKey: bytes('reset'), sealed: bytes('sealed') },
      ...{ password: 'old', createdAt: at },
    }
    await stores[0]!.write([{ add: 'person', row: person }])
    const { personId } = person
    const session = (hash: string): StoreChange[] => [
      { account: { lock: 'person', personId } },
      { account: { add: 'session', row: { hash: bytes(hash), personId, createdAt: at, expiresAt: at + 1 } } },
      { account: { drop: 'session', hash: bytes(hash), unless: { personId, password: 'old' } } },
    ]
    await stores[0]!.write(session('before'))
    let signingIn: Promise<void> | undefined
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE person SET id%'`
    await schema.database.transaction(async (sql) => {
      await sql(`UPDATE person SET password = 'new' WHERE id = $1`, [personId])
      signingIn = stores[1]!.write(session('meanwhile'))
      await until('the sign-in waits', async () => (await schema.database.sql(waiting)).length > 0)
      await sql('DELETE FROM session WHERE person = $1', [personId])
    })
    await signingIn
    assert.deepEqual(await stores[0]!.accounts.sessionsOf(personId), [])
  })

  test('a reset of the password that waits for a sign-in in another process ends its session', async () => {
    const personId = 'per_reset'
    const row = { hash: bytes('first'), personId, createdAt: at, expiresAt: at + 1 }
    let reset: Promise<void> | undefined
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'INSERT INTO person%'`
    const person = (await stores[0]!.accounts.person(personId))!
    await schema.database.transaction(async (sql) => {
      await sql('UPDATE person SET id = id WHERE id = $1', [personId])
      await sql(
        'INSERT INTO session (hash, person, created_at, expires_at) VALUES ($1, $2, $3, $4)',
        Object.values(row),
      )
      reset = stores[1]!.write([
        { account: { put: 'person', row: { ...person, password: 'newest' } } },
        { account: { drop: 'sessionsOf', personId } },
      ])
      await until('the reset waits', async () => (await schema.database.sql(waiting)).length > 0)
    })
    await reset
    assert.deepEqual(await stores[0]!.accounts.sessionsOf(personId), [])
  })

  test('writes that change the same rows in opposite order all succeed', async () => {
    const settings = ['a', 'b'].map((name): StoreChange => ({ put: 'setting', name, value: name }))
    await stores[0]!.write([{ add: 'tag', row: tag(2) }])
    for (let round = 0; round < 10; round++)
      await Promise.all(
        stores.flatMap((store, process) => {
          const inOrder = (changes: StoreChange[]) => store.write(process === 0 ? changes : changes.toReversed())
          return [
            inOrder(settings),
            inOrder([putHosts('tag_1', `${round}.x`, 'y'), putHosts('tag_2', 'y', `${round}.x`)]),
          ]
        }),
      )
    assert.equal((await stores[0]!.hostClaims({ host: '9.x' })).length, 2)
  })

  const changesAfter = (seq: number) =>
    schema.database.sql<{ seq: number; kind: string; id: string }>(
      'SELECT seq, kind, id FROM change WHERE seq > $1 ORDER BY seq',
      [seq],
    )
  const lastSeq = async () => (await changesAfter(0)).at(-1)?.seq ?? 0

  test('what every process must know is appended to the change feed with the write, and acknowledged after it', async () => {
    const before = await lastSeq()
    acknowledgedSeqs.length = 0
    const pair = { kid: 'k1', publicJwk: '{}', sealedPrivate: bytes('private'), createdAt: at } as const
    await stores[0]!.write([
      { add: 'team', row: team(3) },
      { add: 'tag', row: tag(3, 'team_3') },
      { add: 'deployment', row: deployment(1, 'tag_3') },
      { put: 'teamKey', teamId: 'team_3', sealedKey: bytes('new') },
      putHosts('tag_3', 'three.example.com'),
      { put: 'hostClaim', row: { tagId: 'tag_3', host: 'three.example.com', claimedAt: at, provedAt: at } },
      { put: 'sealingKey', row: { ...pair, state: 'next' } },
    ])
    await stores[0]!.write([putHosts('tag_3', 'other.example.com')])
    await stores[1]!.write([{ drop: 'tag', tagId: 'tag_3' }])
    const changes = await changesAfter(before)
    assert.deepEqual(
      changes.map(({ kind, id }) => `${kind} ${id}`.trim()),
      [
        ...['teamKey team_3', 'deployment tag_3', 'hosts three.example.com', 'sealingKeys'],
        ...['hosts three.example.com', 'hosts other.example.com'],
        ...['tagDropped tag_3', 'hosts other.example.com'],
      ],
    )
    assert.deepEqual(acknowledgedSeqs, [before + 4, before + 6, before + 8])
  })

  test('a look-up of a host that finds what the last one found tells no process; another finding does', async () => {
    await stores[0]!.write([{ add: 'tag', row: tag(4) }, putHosts('tag_4', 'four.example.com')])
    const row = { tagId: 'tag_4', host: 'four.example.com', claimedAt: at }
    const proved = { ...row, provedSince: at }
    /** True if the claim was announced to all processes. */
    const isTold = async (claim: Partial<HostClaim>) => {
      const before = await lastSeq()
      await stores[0]!.write([{ put: 'hostClaim', row: { ...row, ...claim } }])
      return (await changesAfter(before)).length > 0
    }
    assert.equal(await isTold({ checkedAt: at }), false, 'unproved')
    assert.equal(await isTold({ ...proved, provedAt: at + 1, checkedAt: at + 1 }), true, 'proved')
    assert.equal(await isTold({ ...proved, provedAt: at + 2, checkedAt: at + 2 }), false, 'proved again')
    assert.equal(await isTold({ ...proved, provedAt: at + 2, checkedAt: at + 3 }), true, 'no longer seen')
    assert.equal(await isTold({ ...proved, provedAt: at + 2, checkedAt: at + 4 }), false, 'still not seen')
    assert.equal(await isTold({ ...proved, provedAt: at + 5, checkedAt: at + 5, isMissing: true }), true, 'missing')
    assert.equal(await isTold({ checkedAt: at + 6 }), true, 'the proof is lost')
  })

  test('the users of a dropped tag are deleted in slices, and what a failure leaves is deleted by retention', async () => {
    await stores[0]!.write([{ add: 'tag', row: tag(5) }])
    const users = 'SELECT count(*)::int AS count FROM tag_user WHERE tag = $1'
    const countUsers = async () => (await schema.database.sql<{ count: number }>(users, ['tag_5']))[0]!.count
    const addUsers = `INSERT INTO tag_user SELECT 'tag_5', 'usr_' || n, '', 0, 1 FROM generate_series(1, 25000) AS n`
    await schema.database.sql(addUsers)
    const sizes: number[] = []
    const failing: Pick<Database, 'schema' | 'transaction'> = {
      schema: schema.database.schema,
      async transaction(work) {
        const count = await countUsers()
        if (count < 20_000) throw new OwnershipLost('any error')
        const result = await schema.database.transaction(work)
        sizes.push(count - (await countUsers()))
        return result
      },
    }
    await openWrites(failing).write([{ drop: 'tag', tagId: 'tag_5' }])
    assert.deepEqual(sizes, [0, 10_000])
    assert.equal(await stores[0]!.tag('tag_5'), undefined)
    const counts = { hourlyRollupMs: 0, dailyRollupMs: 0, keptDeployments: 9 }
    const cutoffs = { journalMs: 0, failuresMs: 0, bodiesMs: 0, failedBodiesMs: 0, ...counts }
    await dropAllExpired(stores[1]!.journal, cutoffs)
    assert.equal(await countUsers(), 0)
    assert.deepEqual(await schema.database.sql('SELECT * FROM dropped_tag'), [])
  })

  test('a write that fails or that no process must know of appends nothing', async () => {
    const before = await lastSeq()
    await assert.rejects(
      stores[0]!.write([
        { add: 'deployment', row: deployment(99) },
        { add: 'tag', row: tag(1) },
      ]),
      isConflict('other'),
    )
    await stores[0]!.write([entry('quiet')])
    assert.equal(await lastSeq(), before)
  })

  test('the numbers of changes follow the order of commits: a reader that has seen a number misses none before it', async () => {
    let seen = await lastSeq()
    const writes = Promise.all(
      Array.from({ length: 60 }, (_, n) => stores[n % 2]!.write([{ add: 'deployment', row: deployment(100 + n) }])),
    )
    const ended = Symbol('ended')
    for (let isLast = false; ; ) {
      for (const { seq } of await changesAfter(seen)) {
        assert.equal(seq, seen + 1)
        seen = seq
      }
      if (isLast) break
      isLast = (await Promise.race([writes.then(() => ended), new Promise(setImmediate)])) === ended
    }
    assert.equal(seen, await lastSeq())
  })

  /** A database whose first commit has an unknown result. `run` decides what happens to the transaction. */
  function withUnknownCommit(run: (commit: () => Promise<unknown>) => Promise<unknown>): Database {
    const database = databases[0]!
    let runs = 0
    return {
      ...database,
      async transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
        if (runs++ > 0) return database.transaction(work)
        await run(() => database.transaction(work))
        throw new CommitUnknown('the response to a commit was lost')
      },
    }
  }

  test('a write whose answer was lost is stored once, whether it was committed or not', async () => {
    const committed = openWrites(withUnknownCommit((commit) => commit()))
    await committed.write([entry('committed'), { add: 'tag', row: tag(50) }])
    assert.equal(await auditOf('committed'), 1)
    const lost = openWrites(withUnknownCommit(async () => {}))
    await lost.write([entry('lost'), { add: 'tag', row: tag(51) }])
    assert.equal(await auditOf('lost'), 1)
  })

  test('a write whose answer was lost waits for its first run, which commits later', async () => {
    const gate = Promise.withResolvers<void>()
    const first = Promise.withResolvers<unknown>()
    const isWaiting = async () => (await schema.database.sql('SELECT 1 FROM pg_locks WHERE NOT granted')).length > 0
    const database = databases[0]!
    let runs = 0
    const slow: Database = {
      ...database,
      async transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
        if (runs++ > 0) return database.transaction(work)
        const written = Promise.withResolvers<void>()
        first.resolve(
          database.transaction(async (sql) => {
            const result = await work(sql)
            written.resolve()
            await gate.promise
            return result
          }),
        )
        await written.promise
        throw new CommitUnknown('the response to a commit was lost')
      },
    }
    const write = openWrites(slow).write([entry('slow')])
    await until('the repeat waits', isWaiting)
    gate.resolve()
    await Promise.all([write, first.promise])
    assert.equal(await auditOf('slow'), 1)
  })

  test('a conflict after a lost answer is that of another write', async () => {
    const taken = openWrites(withUnknownCommit(() => stores[1]!.write([{ add: 'tag', row: tag(60) }])))
    await assert.rejects(taken.write([{ add: 'tag', row: { ...tag(61), name: tag(60).name } }]), isConflict('tag.name'))
  })

  test('a write is Unwritable while no primary answers, and while the server accepts only reads', async () => {
    const url = server.url.replace(/@[^/]*/, '@127.0.0.1:1')
    const away = openDatabase({ url, schema: schema.database.schema, connections: 1 })
    await assert.rejects(
      (await openPostgresStore({ database: away, queryDatabase: away })).write([entry('away')]),
      Unwritable,
    )
    await away.close()
    await schema.database.sql('ALTER ROLE aglet SET default_transaction_read_only = on')
    const readOnly = schema.openDatabase()
    await assert.rejects(
      (await openPostgresStore({ database: readOnly, queryDatabase: readOnly })).write([entry('read')]),
      Unwritable,
    )
    await readOnly.close()
    await schema.database.sql('ALTER ROLE aglet RESET default_transaction_read_only')
  })
})
