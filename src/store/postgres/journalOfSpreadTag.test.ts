import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { registerSpread } from '#cluster/postgres/spread.ts'
import { slotOf, slotsOf } from '#cluster/slotOf.ts'
import { at } from '#store/store.fixture.ts'
import type { Journal } from '#store/store.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { createJournal } from './journal.ts'
import { eraseUserDeliveries } from './journalChanges.ts'
import { eventOf, heldEvent, keepAll, later, outcomesOf, released, scripts } from './journalOfMany.fixture.ts'
import { createQueries } from './queries.ts'
import { createSchema } from './storeOnSchema.fixture.ts'

const skip = await skipWithoutPostgres()
const slots = slotsOf('tag_1', 4)
const [ownSlot, otherSlot] = [slots[0]!, slots[2]!]

describe('the journal of a tag that is spread over several slots', { skip }, () => {
  let server: PostgresServer
  let schema: Awaited<ReturnType<typeof createSchema>>
  let first: Journal
  let second: Journal
  before(async () => {
    server = await startPostgres()
  })
  after(() => server.stop())
  beforeEach(async () => {
    schema = await createSchema(server.url)
    const { database } = schema
    await registerSpread(database, new Map([['tag_1', 4]]))
    await database.sql(`INSERT INTO member SELECT name, 'worker', '1', 1, 0 FROM unnest($1::text[]) AS name`, [
      ['first', 'second'],
    ])
    first = createJournal(database, { memberId: 'first', slots: () => [ownSlot] })
    second = createJournal(database, { memberId: 'second', slots: () => [otherSlot] })
    await first.plan([eventOf(1)])
    await second.plan([eventOf(2, { slot: otherSlot })])
  })
  afterEach(() => schema.database.close())

  const dueOf = async (journal: Journal, nowMs = later) =>
    (await journal.due([{ scriptId: 'scr_1', limit: 9 }], nowMs))[0]!
  const placesOf = async (journal: Journal) => (await dueOf(journal)).map(({ position, slot }) => [position, slot])

  test('gives each worker what is due in its slots, and says which does not lie in the slot of the tag', async () => {
    assert.equal(slotOf('tag_1'), ownSlot)
    assert.deepEqual(await placesOf(first), [[1, undefined]])
    assert.deepEqual(await placesOf(second), [[2, otherSlot]])
    assert.deepEqual([await first.pendingCount(), await second.pendingCount()], [5, 5])
    await second.settle(outcomesOf(eventOf(2)))
    assert.deepEqual([await first.pendingCount(), await second.pendingCount()], [5, 0])
  })

  test('gives a worker that takes a slot what the earlier owner had in flight there, and nothing of the other slots', async () => {
    await first.recoverInFlight(later, [otherSlot])
    const next = createJournal(schema.database, { memberId: 'first', slots: () => [ownSlot, otherSlot] })
    const due = await dueOf(next)
    assert.deepEqual(
      due.map(({ position, crashCount }) => [position, crashCount]),
      [
        [1, undefined],
        [2, 1],
      ],
    )
  })

  test('shows the waiting deliveries of all its slots, in lists, in an event and in an erasure', async () => {
    assert.equal((await schema.database.sql('SELECT 1 FROM planned')).length, 2)
    const event = await first.event('tag_1', 2, 0)
    assert.deepEqual(
      event!.deliveries.map(({ status }) => status),
      scripts.map(() => 'pending'),
    )
    const queries = createQueries(schema.database, { perTeam: 2, limitMs: 10_000 })
    const { rows } = await queries.queriesOf('team_1').deliveries('tag_1', {}, { limit: 20 })
    assert.equal(rows.length, 10)
    assert.equal((await schema.database.sql('SELECT 1 FROM planned')).length, 0)
    await second.plan([eventOf(3, { slot: otherSlot, userId: 'usr_3' })])
    await schema.database.transaction((sql) =>
      eraseUserDeliveries(sql, { erase: 'user', tagId: 'tag_1', userId: 'usr_3' } as never),
    )
    assert.ok((await second.event('tag_1', 3, 0))!.deliveries.every(({ reason }) => reason === 'erased'))
    await queries.close()
  })

  test('still finds what waits in the slots of an earlier spread', async () => {
    await registerSpread(schema.database, new Map([['tag_1', 2]]))
    await registerSpread(schema.database, new Map([['tag_1', 1]]))
    await second.plan([eventOf(3, { slot: slots[1]! })])
    const queries = createQueries(schema.database, { perTeam: 2, limitMs: 10_000 })
    assert.equal((await queries.queriesOf('team_1').deliveries('tag_1', {}, { limit: 20 })).rows.length, 15)
    await queries.close()
  })

  test('drops no event of any of its slots that waits', async () => {
    await first.dropExpired({ ...keepAll, journalMs: later, failuresMs: later }, 'tag_1')
    assert.deepEqual([(await placesOf(first)).length, (await placesOf(second)).length], [1, 1])
  })

  test('makes what a worker releases or sends again in the slot of another one due after the next poll of its owner', async () => {
    await second.settle(outcomesOf(eventOf(2)))
    await second.plan([heldEvent(3), heldEvent(4)].map((each) => ({ ...each, slot: otherSlot })))
    const before = Date.now()
    await first.release([released(3), released(4)])
    await first.replay([{ ...eventOf(2).deliveries[0]!, tagId: 'tag_1', position: 2, index: 0, nextAt: at }])
    const due = await dueOf(second, before + 60_000)
    const times = new Map(due.map(({ position, nextAt }) => [position, nextAt]))
    assert.equal(times.get(2), at + 2_000)
    assert.ok(times.get(3)! >= before + 1_000)
    assert.equal(times.get(4)! - times.get(3)!, 1)
    await second.plan([{ ...heldEvent(5), slot: otherSlot }])
    await second.release([released(5)])
    assert.equal((await dueOf(second)).find(({ position }) => position === 5)!.nextAt, eventOf(5).receivedAt)
  })
})
