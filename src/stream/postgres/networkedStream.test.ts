import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import { slotOf } from '#cluster/slotOf.ts'
import type { Database } from '#postgres/database.ts'
import { OwnershipLost } from '#postgres/ownership.ts'
import { dayMs, entry, start, textOf } from '#stream/stream.fixture.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { openPostgresStream, type PostgresStream } from './postgresStream.ts'
import { createStreamSchemas, type Fault, openFaultyDatabase } from './streamOnSchema.fixture.ts'

const skip = await skipWithoutPostgres()
const neverAborted = new AbortController().signal
const slot = slotOf('tag_1')

describe('a stream that several processes have open', { skip, timeout: 40_000 }, () => {
  let server: PostgresServer
  let database: Database
  let opened: PostgresStream[]
  let at = start
  const clock = { now: () => at }
  const schemas = createStreamSchemas(() => server.url)
  before(async () => {
    server = await startPostgres()
  })
  after(async () => {
    await schemas.close()
    await server.stop()
  })
  beforeEach(async () => {
    at = start
    opened = []
    database = await schemas.create()
  })
  afterEach(async () => {
    await Promise.all(opened.map((stream) => stream.close()))
    await schemas.remove(database)
  })
  const open = async (options: Partial<Parameters<typeof openPostgresStream>[0]> = {}) => {
    const stream = await openPostgresStream({ database, clock, ...options })
    opened.push(stream)
    return stream
  }
  /** A process with an own lease, which owns slots. */
  async function member(memberId: string, slots: number[]) {
    await database.sql(`INSERT INTO member VALUES ($1, 'worker', '1', 1, 0)`, [memberId])
    return { memberId, slots: (): number[] => slots }
  }
  const lease = async (stream: PostgresStream, limit = 100) =>
    (await stream.lease(limit, neverAborted)).map(({ payload }) => textOf(payload))
  /** What a process leases that waits no longer than for one read of all its slots. */
  async function leaseNothing(stream: PostgresStream, marker: PostgresStream): Promise<void> {
    await marker.append(entry([BigInt(Date.now())], 'marker'))
    assert.deepEqual(await lease(stream), ['marker'])
  }

  describe('appends', () => {
    test('of the same keys by two processes at once find each key new exactly once', async () => {
      const streams = await Promise.all([open(), open({ database: schemas.openAnother(database) })])
      let round = 0n
      const bodies = fc.array(fc.array(fc.bigInt(1n, 20n), { minLength: 1, maxLength: 12 }), {
        minLength: 2,
        maxLength: 6,
      })
      await fc.assert(
        fc.asyncProperty(bodies, async (all) => {
          const base = ++round * 1_000n
          const keysOf = all.map((keys) => keys.map((key) => base + key))
          const results = await Promise.all(keysOf.map((keys, n) => streams[n % 2]!.append(entry(keys))))
          const fresh = keysOf.flatMap((keys, n) => keys.filter((_, index) => results[n]![index]))
          assert.deepEqual(fresh.toSorted(), [...new Set(keysOf.flat())].toSorted())
        }),
        { numRuns: 60 },
      )
    })

    test('around a change of generation, by processes whose clocks differ, find each key new exactly once', async () => {
      const change = Math.ceil(start / (4 * dayMs)) * 4 * dayMs
      const clocks = [change - 140_000, change + 140_000].map((now) => ({ now: () => now }))
      const streams = await Promise.all(clocks.map((each) => open({ clock: each })))
      for (let key = 1n; key <= 20n; key++) {
        const results = await Promise.all(streams.map((stream) => stream.append(entry([key]))))
        assert.equal(results.flat().filter(Boolean).length, 1)
      }
      const later = await open({ clock: { now: () => change + 3_600_000 } })
      assert.deepEqual(await later.append(entry([1n, 20n, 21n])), [false, false, true])
    })

    test('whose answers are lost tell which events are new, whether they were committed, or are committed late', async () => {
      const faulty = openFaultyDatabase(database, /INSERT INTO todo/)
      const stream = await open({ database: faulty.database })
      const other = await open()
      let round = 0n
      const faults = fc.array(fc.constantFrom<Fault>('away', 'lost', 'committed', 'late'), { maxLength: 3 })
      const keys = fc.array(fc.bigInt(1n, 6n), { minLength: 1, maxLength: 8 })
      await fc.assert(
        fc.asyncProperty(faults, keys, keys, async (sequence, earlier, repeated) => {
          const base = ++round * 1_000n
          const [before, now] = [earlier, repeated].map((each) => each.map((key) => base + key))
          await other.append(entry(before!))
          faulty.setFaults(sequence)
          const result = await stream.append(entry(now!))
          await faulty.settled()
          const expected = now!.map((key, index) => !before!.includes(key) && now!.indexOf(key) === index)
          assert.deepEqual(result, expected)
        }),
        { numRuns: 15 },
      )
      const leased = await other.lease(1_000, neverAborted)
      const places = leased.flatMap(({ position, newIndexes }) => newIndexes.map((index) => `${position} ${index}`))
      assert.equal(new Set(places).size, places.length)
    })

    test('of another process are leased without a restart', async () => {
      const [reader, writer] = [await open(), await open()]
      const waiting = lease(reader)
      await writer.append(entry([1n], 'late'))
      assert.deepEqual(await waiting, ['late'])
    })
  })

  describe('a record', () => {
    /** Holds the transactions of appends open until they are released. */
    function openSlowDatabase() {
      const [ran, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const sql: Database['sql'] = async (text, values) => {
        if (!/INSERT INTO todo/.test(text)) return database.sql(text, values)
        return database.transaction(async (run) => {
          const rows = await run(text, values)
          ran.resolve()
          await released.promise
          return rows as never
        })
      }
      return { database: { ...database, sql }, ran: ran.promise, release: released.resolve }
    }

    test('whose position was taken first and that is committed last is leased, and only once', async () => {
      const slow = openSlowDatabase()
      const early = await open({ database: slow.database })
      const [writer, reader] = [await open(), await open()]
      const appended = early.append(entry([1n], 'early'))
      await slow.ran
      await writer.append(entry([2n], 'later'))
      assert.deepEqual(await lease(reader), ['later'])
      await writer.append(entry([3n], 'latest'))
      assert.deepEqual(await lease(reader), ['latest'])
      slow.release()
      await appended
      assert.deepEqual(await lease(reader), ['early'])
      await leaseNothing(reader, writer)
    })

    test('of a backlog is leased once, in order', async () => {
      const writer = await open()
      const names = Array.from({ length: 2_500 }, (_, n) => `body ${n}`)
      await Promise.all(names.map((name, n) => writer.append(entry([BigInt(n + 1)], name))))
      const reader = await open()
      const leased: string[] = []
      while (leased.length < names.length) leased.push(...(await lease(reader, 300)))
      assert.deepEqual(leased, names)
      await leaseNothing(reader, writer)
    })

    test('is leased by the owner of its slot only, and counted by it', async () => {
      const [one, other] = [await member('one', [slot]), await member('other', [(slot + 1) % 256])]
      const [owner, idle] = [await open({ ownership: one }), await open({ ownership: other })]
      const aborter = new AbortController()
      const waiting = idle.lease(1, aborter.signal)
      await idle.append(entry([1n], 'one'))
      assert.deepEqual(await lease(owner), ['one'])
      assert.deepEqual([await owner.waiting(), await idle.waiting()], [1, 0])
      aborter.abort()
      assert.deepEqual(await waiting, [])
    })

    test('that is not settled is leased by the next owner of its slot, as one that may be planned', async () => {
      const [one, other] = [await member('one', [slot]), await member('other', [])]
      const [first, second] = [await open({ ownership: one }), await open({ ownership: other })]
      await first.append(entry([1n], 'settled'))
      await first.append(entry([2n], 'open'))
      const [settled] = await first.lease(10, neverAborted)
      await first.settle([settled!.position])
      one.slots().length = 0
      first.forgetSlots([slot])
      other.slots().push(slot)
      second.slotsGained([slot])
      const [leased] = await second.lease(10, neverAborted)
      assert.deepEqual([textOf(leased!.payload), leased!.mayBePlanned], ['open', true])
      await second.append(entry([3n], 'new'))
      const [next] = await second.lease(10, neverAborted)
      assert.deepEqual([textOf(next!.payload), next!.mayBePlanned], ['new', undefined])
    })

    test('is leased again by a process that has lost its slot and gained it again', async () => {
      const ownership = await member('one', [slot])
      const stream = await open({ ownership })
      await stream.append(entry([1n], 'one'))
      assert.deepEqual(await lease(stream), ['one'])
      stream.forgetSlots([slot])
      stream.slotsGained([slot])
      assert.deepEqual(await lease(stream), ['one'])
    })

    test('of a worker whose lease has ended is not settled, and is leased by the next owner', async () => {
      const [one, other] = [await member('one', [slot]), await member('other', [slot])]
      const lost = await open({ ownership: one })
      await lost.append(entry([1n], 'one'))
      const [leased] = await lost.lease(10, neverAborted)
      await database.sql(`DELETE FROM member WHERE id = 'one'`)
      await assert.rejects(lost.settle([leased!.position]), OwnershipLost)
      const next = await open({ ownership: other })
      assert.deepEqual(await lease(next), ['one'])
      await next.settle([leased!.position])
      assert.equal(await next.waiting(), 0)
    })

    test('of a slot that was released is settled by its new owner only', async () => {
      const ownership = await member('one', [slot])
      const stream = await open({ ownership })
      await stream.append(entry([1n], 'one'))
      const [leased] = await stream.lease(10, neverAborted)
      ownership.slots().length = 0
      stream.forgetSlots([slot])
      await stream.settle([leased!.position])
      assert.equal(await (await open()).waiting(), 1)
    })
  })

  test('a rewrite is told to all processes once it is stored', async () => {
    const [one, other] = [await open(), await open()]
    await one.append(entry([1n], 'secret'))
    const { position } = (await one.find(1n))!
    await one.rewrite(position, () => Buffer.from('erased'))
    assert.equal(textOf((await other.read(position))!.payload), 'erased')
    const changes = await database.sql('SELECT kind, id FROM change')
    assert.deepEqual(changes, [{ kind: 'rewritten', id: String(position) }])
    other.noteRewritten()
    assert.deepEqual([one.rewritten(), other.rewritten()], [1, 1])
  })

  test('two processes rewrite a record one after the other', async () => {
    const streams = [await open(), await open()]
    await streams[0]!.append(entry([1n], ''))
    const { position } = (await streams[0]!.find(1n))!
    const add = (n: number) => streams[n % 2]!.rewrite(position, (payload) => Buffer.from(`${textOf(payload)}+`))
    await Promise.all(Array.from({ length: 20 }, (_, n) => add(n)))
    assert.equal(textOf((await streams[1]!.read(position))!.payload), '+'.repeat(20))
  })

  describe('trim', () => {
    test('keeps a record that is not settled, which is leased, rewritten and trimmed later', async () => {
      const [one, other] = [await open(), await open()]
      await one.append(entry([1n], 'open'))
      const { position } = (await one.find(1n))!
      await other.read(position) // it knows the table that is dropped
      at = start + 3 * dayMs
      await one.trim(at)
      await other.rewrite(position, () => Buffer.from('changed'))
      assert.deepEqual(await lease(other), ['changed'])
      await other.settle([position])
      await one.trim(at)
      assert.equal(await other.read(position), undefined)
    })

    test('drops the tables of days and generations that nobody needs, and appends go on', async () => {
      const [one, other] = [await open(), await open()]
      for (const days of [0, 8, 16, 24]) {
        at = start + days * dayMs
        await other.append(entry([1n], `body ${days}`))
        await one.append(entry([2n]))
      }
      const leased = await one.lease(100, neverAborted)
      await one.settle(leased.map(({ position }) => position))
      await one.trim(at)
      const tables = await database.sql<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
           AND relname ~ '^(body|seen)_[0-9]+$' ORDER BY 1`,
      )
      assert.deepEqual(
        tables.map(({ name }) => name.split('_')[0]),
        ['body', 'seen', 'seen', 'seen'],
      )
      assert.deepEqual(await other.append(entry([1n, 3n])), [false, true])
    })
  })

  test('a table that another process has dropped is created again', async () => {
    const stream = await open()
    await stream.append(entry([1n]))
    const day = Math.floor(start / dayMs)
    await database.sql(`DROP TABLE body_${day}`)
    assert.deepEqual(await stream.append(entry([2n], 'two')), [true])
    assert.equal(textOf((await stream.read((await stream.find(2n))!.position))!.payload), 'two')
  })
})
