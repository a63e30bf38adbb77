import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { slotOf } from '#cluster/slotOf.ts'
import type { Database } from '#postgres/database.ts'
import { OwnershipLost } from '#postgres/ownership.ts'
import type { SharedStream } from '#stream/sharedStream.ts'
import { dayMs, entry, start, textOf } from '#stream/stream.fixture.ts'
import { until } from '../../../test/fake/clock.ts'
import { skipWithoutPostgres } from '../../../test/fake/postgresServer.ts'
import { setUpStreams } from './networkedStreams.fixture.ts'

const skip = await skipWithoutPostgres()
const neverAborted = new AbortController().signal
const slot = slotOf('tag_1')

describe('a stream that several processes have open', { skip, timeout: 40_000 }, () => {
  const shared = setUpStreams()
  const lease = async (stream: SharedStream, limit = 100) =>
    (await stream.lease(limit, neverAborted)).map(({ payload }) => textOf(payload))
  /** Asserts that a lease returns only a new marker record, after one read of all slots. */
  async function leaseNothing(stream: SharedStream, marker: SharedStream): Promise<void> {
    await marker.append(entry([BigInt(Date.now())], 'marker'))
    assert.deepEqual(await lease(stream), ['marker'])
  }

  describe('a record', () => {
    /** Holds the transactions of appends open until they are released. */
    function openSlowDatabase() {
      const [ran, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const sql: Database['sql'] = async (text, values) => {
        if (!/INSERT INTO todo/.test(text)) return shared.database.sql(text, values)
        return shared.database.transaction(async (run) => {
          const rows = await run(text, values)
          ran.resolve()
          await released.promise
          return rows as never
        })
      }
      return { database: { ...shared.database, sql }, ran: ran.promise, release: released.resolve }
    }

    test('whose position was taken first and that is committed last is leased, and only once', async () => {
      const slow = openSlowDatabase()
      const early = await shared.open({ database: slow.database })
      const [writer, reader] = [await shared.open(), await shared.open()]
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
      const writer = await shared.open()
      const names = Array.from({ length: 2_500 }, (_, n) => `body ${n}`)
      await Promise.all(names.map((name, n) => writer.append(entry([BigInt(n + 1)], name))))
      const reader = await shared.open()
      const leased: string[] = []
      while (leased.length < names.length) leased.push(...(await lease(reader, 300)))
      assert.deepEqual(leased, names)
      await leaseNothing(reader, writer)
    })

    test('is leased by the owner of its slot only, and counted by it', async () => {
      const [one, other] = [await shared.member('one', [slot]), await shared.member('other', [(slot + 1) % 256])]
      const [owner, idle] = [await shared.open({ ownership: one }), await shared.open({ ownership: other })]
      const aborter = new AbortController()
      const waiting = idle.lease(1, aborter.signal)
      await idle.append(entry([1n], 'one'))
      assert.deepEqual(await lease(owner), ['one'])
      assert.deepEqual([await owner.waiting(), await idle.waiting()], [1, 0])
      aborter.abort()
      assert.deepEqual(await waiting, [])
    })

    test('of another process is leased by a worker that does not look by itself, because it is told', async () => {
      const [writer, idle] = [await shared.open(), await shared.open({ monotonicMs: () => 0 })]
      const waiting = idle.lease(1, neverAborted)
      await until('the worker listens', async () => {
        const sessions = await shared.database.sql(
          `SELECT 1 FROM pg_stat_activity WHERE query = 'LISTEN "${shared.database.schema}_todo"' AND state = 'idle'`,
        )
        return sessions.length > 0
      })
      await writer.append(entry([1n], 'one'))
      assert.deepEqual(
        (await waiting).map(({ payload }) => textOf(payload)),
        ['one'],
      )
    })

    test('that is not settled is leased by the next owner of its slot, as one that may be planned', async () => {
      const [one, other] = [await shared.member('one', [slot]), await shared.member('other', [])]
      const [first, second] = [await shared.open({ ownership: one }), await shared.open({ ownership: other })]
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
      const ownership = await shared.member('one', [slot])
      const stream = await shared.open({ ownership })
      await stream.append(entry([1n], 'one'))
      assert.deepEqual(await lease(stream), ['one'])
      stream.forgetSlots([slot])
      stream.slotsGained([slot])
      assert.deepEqual(await lease(stream), ['one'])
    })

    test('of a worker whose lease has ended is not settled, and is leased by the next owner', async () => {
      const [one, other] = [await shared.member('one', [slot]), await shared.member('other', [slot])]
      const lost = await shared.open({ ownership: one })
      await lost.append(entry([1n], 'one'))
      const [leased] = await lost.lease(10, neverAborted)
      await shared.database.sql(`DELETE FROM member WHERE id = 'one'`)
      await assert.rejects(lost.settle([leased!.position]), OwnershipLost)
      const next = await shared.open({ ownership: other })
      assert.deepEqual(await lease(next), ['one'])
      await next.settle([leased!.position])
      assert.equal(await next.waiting(), 0)
    })

    test('of a slot that was released is settled by its new owner only', async () => {
      const ownership = await shared.member('one', [slot])
      const stream = await shared.open({ ownership })
      await stream.append(entry([1n], 'one'))
      const [leased] = await stream.lease(10, neverAborted)
      ownership.slots().length = 0
      stream.forgetSlots([slot])
      await stream.settle([leased!.position])
      assert.equal(await (await shared.open()).waiting(), 1)
    })
  })

  test('a rewrite is told to all processes once it is stored', async () => {
    const [one, other] = [await shared.open(), await shared.open()]
    await one.append(entry([1n], 'secret'))
    const { position } = (await one.find(1n))!
    await one.rewrite(position, () => Buffer.from('erased'))
    assert.equal(textOf((await other.read(position))!.payload), 'erased')
    const changes = await shared.database.sql('SELECT kind, id FROM change')
    assert.deepEqual(changes, [{ kind: 'rewritten', id: String(position) }])
    other.noteRewritten()
    assert.deepEqual([one.rewritten(), other.rewritten()], [1, 1])
  })

  test('two processes rewrite a record one after the other', async () => {
    const streams = [await shared.open(), await shared.open()]
    await streams[0]!.append(entry([1n], ''))
    const { position } = (await streams[0]!.find(1n))!
    const add = (n: number) => streams[n % 2]!.rewrite(position, (payload) => Buffer.from(`${textOf(payload)}+`))
    await Promise.all(Array.from({ length: 20 }, (_, n) => add(n)))
    assert.equal(textOf((await streams[1]!.read(position))!.payload), '+'.repeat(20))
  })

  describe('trim', () => {
    test('keeps a record that is not settled, which is leased, rewritten and trimmed later', async () => {
      const [one, other] = [await shared.open(), await shared.open()]
      await one.append(entry([1n], 'open'))
      const { position } = (await one.find(1n))!
      await other.read(position) // now it knows the table that will be dropped
      shared.now = start + 3 * dayMs
      await one.trim(shared.now)
      await other.rewrite(position, () => Buffer.from('changed'))
      assert.deepEqual(await lease(other), ['changed'])
      await other.settle([position])
      await one.trim(shared.now)
      assert.equal(await other.read(position), undefined)
    })

    test('keeps records that were settled late while they are needed', async () => {
      const stream = await shared.open()
      await stream.append(entry([1n], 'one'))
      await stream.append(entry([2n], 'two'))
      shared.now = start + 3 * dayMs
      await stream.trim(shared.now)
      const positions = (await stream.lease(10, neverAborted)).map(({ position }) => position)
      await stream.settle(positions)
      const texts = () =>
        Promise.all(positions.map(async (position) => textOf((await stream.read(position))?.payload ?? Buffer.of())))
      const needed = async (from: number, to: number) => positions.filter((each) => from <= each && each <= to)
      await stream.trim(shared.now, { lastMs: start, needed })
      assert.deepEqual(await texts(), ['one', 'two'])
      await stream.trim(shared.now)
      assert.deepEqual(await texts(), ['', ''])
    })

    test('drops the tables of days and generations that nobody needs, and appends go on', async () => {
      const [one, other] = [await shared.open(), await shared.open()]
      for (const days of [0, 8, 16, 24]) {
        shared.now = start + days * dayMs
        await other.append(entry([1n], `body ${days}`))
        await one.append(entry([2n]))
      }
      const leased = await one.lease(100, neverAborted)
      await one.settle(leased.map(({ position }) => position))
      await one.trim(shared.now)
      const tables = await shared.database.sql<{ name: string }>(
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
    const stream = await shared.open()
    await stream.append(entry([1n]))
    const day = Math.floor(start / dayMs)
    await shared.database.sql(`DROP TABLE body_${day}`)
    assert.deepEqual(await stream.append(entry([2n], 'two')), [true])
    assert.equal(textOf((await stream.read((await stream.find(2n))!.position))!.payload), 'two')
  })
})
