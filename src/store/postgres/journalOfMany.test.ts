import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { slotCount, slotOf } from '#cluster/slotOf.ts'
import { type Database, openDatabase } from '#postgres/database.ts'
import { OwnershipLost } from '#postgres/ownership.ts'
import { at } from '#store/store.fixture.ts'
import { type DeliveryOutcome, type Journal, Unwritable } from '#store/store.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { createJournal } from './journal.ts'
import { addReplay } from './journalChanges.ts'
import {
  createRandom,
  eventOf,
  heldEvent,
  keepAll,
  later,
  losesAnswers,
  outcomesOf,
  pause,
  released,
  replay,
  scripts,
  writeAll,
} from './journalOfMany.fixture.ts'
import { createReplayStore } from './replayStore.ts'
import { createSchema, type SchemaLocation } from './storeOnSchema.fixture.ts'

const skip = await skipWithoutPostgres()
describe('the journal of many processes', { skip }, () => {
  let server: PostgresServer
  let schema: SchemaLocation
  let handles: Database[] = []
  let one: Journal
  let other: Journal
  before(async () => {
    server = await startPostgres()
  })
  beforeEach(async () => {
    await close()
    schema = await createSchema(server.url)
    handles = [schema.openDatabase(), schema.openDatabase()]
    one = createJournal(handles[0]!)
    other = createJournal(handles[1]!)
  })
  const close = async () => {
    for (const each of handles) await each.close()
    handles = []
    await schema?.remove()
  }
  after(async () => {
    await close()
    await server.stop()
  })
  const sql = (text: string) => schema.database.sql(text)
  afterEach(async () => {
    const deadlocks = await sql('SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()')
    assert.deepEqual(deadlocks, [{ deadlocks: 0 }], 'no transactions have waited for each other')
  })
  const countOf = async (table: string) =>
    Number((await sql(`SELECT coalesce(sum(count), 0)::bigint AS count FROM ${table}`))[0]!.count)
  /** Every row of the journal. */
  async function dump(): Promise<Record<string, unknown[]>> {
    const tables = ['event', 'planned', 'delivery', 'attempt', 'bodies', 'held', 'channel_pause', 'replay']
    const counts = ['event_count', 'delivery_count', 'issue_count', 'counted_name', 'counted_day']
    const rows: Record<string, unknown[]> = {}
    for (const table of [...tables, ...counts])
      rows[table] = (
        await sql(`SELECT to_jsonb(each) - 'no' - 'bodies' - 'planned_at' AS row FROM ${table} AS each ORDER BY 1`)
      ).map(({ row }) => row)
    return rows
  }

  test('of two workers that plan the same events at once, the first plan of each event stands', async () => {
    for (let round = 0; round < 10; round++) {
      const positions = Array.from({ length: 20 }, (_, n) => round * 100 + n)
      await Promise.all([
        one.plan(positions.map((position) => eventOf(position, {}, '_one'))),
        other.plan(positions.toReversed().map((position) => eventOf(position, { userId: 'usr_2' }, '_other'))),
      ])
      for (const position of positions.slice(0, 3)) {
        const event = await one.event('tag_1', position, 0)
        const suffix = event!.userId === 'usr_1' ? '_one' : '_other'
        assert.deepEqual(
          event!.deliveries.map(({ deliveryId }) => deliveryId),
          eventOf(position, {}, suffix).deliveries.map(({ deliveryId }) => deliveryId),
        )
      }
    }
    assert.equal(await countOf('event_count'), 200)
    assert.equal(await other.pendingCount(), 1_000)
  })

  test('outcomes that two processes write at once are counted once', async () => {
    const event = eventOf(5)
    await one.plan([event])
    await Promise.all([one, other, one, other].map((each) => each.settle(outcomesOf(event))))
    assert.deepEqual([await countOf('delivery_count'), await countOf('issue_count')], [5, 5])
  })

  test('an outcome is stored, and no delivery is doubled, while another process stores the rows of planned deliveries', async () => {
    for (let round = 0; round < 20; round++) {
      const events = Array.from({ length: 10 }, (_, n) => eventOf(round * 100 + n))
      await one.plan(events)
      await Promise.all([
        other.pendingCount(),
        one.settle(events.flatMap((event) => outcomesOf(event)).slice(0, 40)),
        other.nextDue(-1),
        one.due([{ scriptId: 'scr_1', limit: 9 }], later),
      ])
      assert.equal(await other.pendingCount(), 10)
      await one.settle(events.flatMap((event) => outcomesOf(event)).slice(40))
      assert.equal(await one.pendingCount(), 0)
    }
    assert.equal(await countOf('delivery_count'), 1_000)
  })

  test('of two processes that release held events, one releases each', async () => {
    const positions = Array.from({ length: 20 }, (_, n) => n + 1)
    await one.plan(positions.map(heldEvent))
    const dead = positions.toReversed().map((position) => {
      const event = released(position, 'DE')
      return {
        ...event,
        deliveries: event.deliveries.map((each) => ({ ...each, status: 'dead', reason: 'erased' }) as const),
      }
    })
    await Promise.all([one.release(positions.map((position) => released(position))), other.release(dead)])
    for (const position of positions) {
      const event = await one.event('tag_1', position, 0)
      const expected = event!.place.country === 'FR' ? 'pending' : 'dead'
      assert.deepEqual(new Set(event!.deliveries.map(({ status }) => status)), new Set([expected]))
    }
    const waiting = await one.due(
      scripts.map((scriptId) => ({ scriptId, limit: 99 })),
      later,
    )
    await one.release(positions.map((position) => released(position)))
    assert.deepEqual(
      await one.due(
        scripts.map((scriptId) => ({ scriptId, limit: 99 })),
        later,
      ),
      waiting,
    )
    assert.deepEqual(await one.heldEvents('tag_1', 'usr_1'), [])
  })

  test('a worker whose member row is gone stores nothing', async () => {
    await one.plan([eventOf(1), heldEvent(2)])
    await schema.database.transaction((each) => addReplay(each, { add: 'replay', row: replay }))
    const ownership = { memberId: 'gone', slots: () => Array.from({ length: slotCount }, (_, slot) => slot) }
    const [worker, replays] = [createJournal(handles[0]!, ownership), createReplayStore(handles[0]!, ownership)]
    const candidate = { ...eventOf(1).deliveries[0]!, position: 1, index: 0 }
    const writes: (() => Promise<unknown>)[] = [
      () => worker.plan([eventOf(3)]),
      () => worker.settle(outcomesOf(eventOf(1))),
      () => worker.settle([{ deliveryId: 'dlv_1_scr_1', status: 'dead', reason: 'expired' }]),
      () => worker.markInFlight([{ deliveryId: 'dlv_1_scr_1', untilMs: later }]),
      () => worker.recoverInFlight(later),
      () => worker.nextDue(-1),
      () => worker.release([released(2)]),
      () => worker.replay([{ ...candidate, tagId: 'tag_1', nextAt: at }]),
      () => worker.pause(pause),
      () => worker.resume('scr_1'),
      () => worker.nameUnreadable([eventOf(1)]),
      () => replays.saveProgress('rep_1', { state: 'running', tally: {}, requeued: [candidate], nextAt: at }),
      () => replays.revertPending('rep_1'),
    ]
    const before = await dump()
    for (const write of writes) await assert.rejects(write(), OwnershipLost, String(write))
    assert.deepEqual(await dump(), before)
  })

  test('a worker reads what waits in its slots only', async () => {
    const tags = ['tag_1', 'tag_2']
    assert.notEqual(slotOf('tag_1'), slotOf('tag_2'))
    await sql(`INSERT INTO member VALUES ('w', 'worker', '1', 1, 0)`)
    for (const [n, tagId] of tags.entries()) {
      await one.plan([eventOf(n * 10 + 1, { tagId }, tagId), { ...heldEvent(n * 10 + 2), tagId }])
      await schema.database.transaction((each) =>
        addReplay(each, { add: 'replay', row: { ...replay, tagId, replayId: tagId } }),
      )
    }
    const ownership = { memberId: 'w', slots: () => [slotOf('tag_2')] }
    const worker = createJournal(handles[0]!, ownership)
    const [due] = await worker.due([{ scriptId: 'scr_1', limit: 9 }], later)
    assert.deepEqual(
      due!.map(({ tagId }) => tagId),
      ['tag_2'],
    )
    assert.deepEqual(
      (await worker.overdue('scr_1', 'new', { dueMs: later, receivedMs: later }, 9)).map(({ tagId }) => tagId),
      ['tag_2'],
    )
    assert.deepEqual(
      (await worker.overdueHolds(later, 9)).map(({ tagId }) => tagId),
      ['tag_2'],
    )
    assert.deepEqual(
      (await worker.nextDue(-1)).map(({ nextAt }) => nextAt - at),
      scripts.map(() => 11),
    )
    assert.equal(await worker.pendingCount(), 5)
    const replays = createReplayStore(handles[0]!, ownership)
    assert.deepEqual(
      (await replays.unfinished()).map(({ tagId }) => tagId),
      ['tag_2'],
    )
    await worker.recoverInFlight(later)
    assert.equal((await sql('SELECT 1 FROM planned')).length, 1, 'the lists of other slots stay')
  })

  test('a worker finds what it has planned, and what another has left in the slots that it took', async () => {
    await sql(`INSERT INTO member VALUES ('w', 'worker', '1', 1, 0)`)
    let slots = [slotOf('tag_1')]
    const worker = createJournal(handles[0]!, { memberId: 'w', slots: () => slots })
    const positions = async () => {
      const [due] = await worker.due([{ scriptId: 'scr_1', priority: 'new', limit: 9 }], later)
      return due!.map(({ position }) => position)
    }
    assert.deepEqual(await positions(), [])
    await worker.plan([eventOf(1)])
    assert.deepEqual(await positions(), [1])
    await other.plan([eventOf(2, { tagId: 'tag_2' })])
    assert.deepEqual(await positions(), [1])
    slots = [slotOf('tag_2')]
    assert.deepEqual(await positions(), [2])
    await worker.plan([eventOf(3, { tagId: 'tag_2' })])
    assert.deepEqual(await Promise.all([positions(), positions()]), [
      [2, 3],
      [2, 3],
    ])
  })

  test('a worker that takes slots counts one crash of what their last owner had planned there', async () => {
    await one.plan([eventOf(1), eventOf(2, { tagId: 'tag_2' }, '_2')])
    await other.recoverInFlight(later, [slotOf('tag_2')])
    const [due] = await other.due([{ scriptId: 'scr_1', limit: 9 }], later)
    assert.deepEqual(
      due!.map(({ tagId, crashCount }) => [tagId, crashCount]),
      [
        ['tag_1', undefined],
        ['tag_2', 1],
      ],
    )
  })

  test('a write whose answer is lost is repeated, and changes nothing more', async () => {
    const results: unknown[] = []
    for (const isLossy of [false, true]) {
      await close()
      schema = await createSchema(server.url)
      handles = [schema.openDatabase()]
      await writeAll(isLossy ? losesAnswers(handles[0]!) : handles[0]!)
      results.push(await dump())
    }
    assert.deepEqual(results[1], results[0])
  })

  test('the outcome of a first attempt is stored alike, whether its row is inserted or looked for', async () => {
    const lookedFor = (outcomes: DeliveryOutcome[]) =>
      outcomes.map(({ delivery, ...each }) => {
        const { eventName: _, ...withoutName } = delivery!
        return { ...each, delivery: withoutName }
      })
    const retried = {
      status: 'pending',
      reason: 'vendorDown',
      nextAt: at + 9,
      isUncounted: true,
      isCrash: true,
    } as const
    const results: unknown[] = []
    for (const shaped of [lookedFor, (outcomes: DeliveryOutcome[]) => outcomes]) {
      await close()
      schema = await createSchema(server.url)
      handles = [schema.openDatabase()]
      const journal = createJournal(handles[0]!)
      const named = eventOf(1, { eventName: 'a\0name' })
      await journal.plan([named, eventOf(2), eventOf(3), eventOf(4)])
      const inRow = outcomesOf(named).map(({ attempt, ...each }, part) => {
        const { issues: _, ...plain } = attempt!
        return { ...each, attempt: { ...plain, packed: { pack: 0, part } } }
      })
      const pack = { tagId: 'tag_1', failed: false, at, sealed: new Uint8Array([1]) }
      await journal.settle(shaped([...inRow, ...outcomesOf(eventOf(2), retried)]), [pack])
      await journal.settle(shaped(outcomesOf(eventOf(3), { status: 'dead', reason: 'expired', stepResults: ['a'] })))
      await journal.settle(shaped(outcomesOf(eventOf(4)).slice(0, 2)))
      await journal.pendingCount()
      await journal.settle(shaped(outcomesOf(eventOf(4))))
      results.push(await dump())
    }
    assert.deepEqual(results[1], results[0])
  })

  test('a write to a database that is away is Unwritable', async () => {
    const nobody = openDatabase({ url: 'postgres://aglet@127.0.0.1:1/postgres', schema: 'none', connections: 1 })
    const journal = createJournal(nobody)
    await assert.rejects(journal.plan([eventOf(1)]), Unwritable)
    await assert.rejects(journal.pause(pause), Unwritable)
    await nobody.close()
  })

  test('processes that write overlapping groups never lock each other out', async () => {
    const positions = Array.from({ length: 30 }, (_, n) => n + 1)
    const random = createRandom(7)
    const some = () => positions.filter(() => random() < 0.5).sort(() => random() - 0.5)
    const journals = [one, other, createJournal(handles[0]!), createJournal(handles[1]!)]
    const works: ((journal: Journal) => Promise<unknown>)[] = [
      (journal) => journal.plan(some().map((position) => eventOf(position, { eventName: `name ${position % 7}` }))),
      (journal) => journal.plan(some().map((position) => heldEvent(position + 100))),
      (journal) => journal.settle(some().flatMap((position) => outcomesOf(eventOf(position)))),
      (journal) =>
        journal.settle(
          some().map((position) => ({ deliveryId: `dlv_${position}_scr_2`, status: 'dead', reason: 'expired', at })),
        ),
      (journal) =>
        journal.markInFlight(some().map((position) => ({ deliveryId: `dlv_${position}_scr_3`, untilMs: later }))),
      (journal) => journal.release(some().map((position) => released(position + 100))),
      (journal) =>
        journal.replay(
          some().map((position) => ({
            ...eventOf(position).deliveries[1]!,
            tagId: 'tag_1',
            position,
            index: 0,
            nextAt: at,
          })),
        ),
      (journal) => journal.recoverInFlight(at),
      (journal) => journal.pendingCount(),
      (journal) => journal.nextDue(-1),
      (journal) => journal.dropExpired({ ...keepAll, journalMs: at + 10, failuresMs: at + 10 }, 'tag_1'),
    ]
    await Promise.all(
      journals.map(async (journal) => {
        for (let n = 0; n < 60; n++) await works[Math.floor(random() * works.length)]!(journal)
      }),
    )
  })
})
