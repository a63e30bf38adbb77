import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { Database } from '#postgres/database.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import { at, plannedEvent } from '#store/store.fixture.ts'
import type { PlannedDelivery } from '#store/store.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { addDroppedTag, deleteTagSlice } from './droppedTags.ts'
import { notesStatements } from './journalOfMany.fixture.ts'
import { insertPlan } from './planStatements.ts'
import { createQueries } from './queries.ts'
import { wholeReads } from './statementPlans.fixture.ts'
import { writeChange } from './storeChanges.ts'
import { createSchema } from './storeOnSchema.fixture.ts'
import { dropUser, eraseUserProfile } from './userChanges.ts'
import { createUserStore } from './userStore.ts'

const skip = await skipWithoutPostgres()
const day = 86_400_000
const ways: [DeliveryStatus, DeliveryReason | undefined][] = [
  ['delivered', undefined],
  ['dead', 'vendorDown'],
  ['skipped', 'consent'],
  ['refused', 'payloadRefused'],
]
const eventOf = (position: number) => {
  const deliveries = [1, 2, 3].map((script): PlannedDelivery => {
    const [status, reason] = ways[(position * script) % ways.length]!
    const deliveryId = `dlv_${position}_${script}`
    return { deliveryId, scriptId: `scr_${script}`, providerId: 'eventSink', status, ...(reason && { reason }) }
  })
  const eventName = position % 2 ? 'PageView' : 'Purchase'
  return plannedEvent(position, { receivedAt: at + position * 10_000, deliveries, eventName })
}

describe('the statements of users, counts and queries', { skip }, () => {
  let server: PostgresServer
  let plain: Database
  let database: Database
  const statements = new Map<string, number>()
  before(async () => {
    server = await startPostgres()
    plain = (await createSchema(server.url)).database
    database = notesStatements(plain, statements)
    const events = Array.from({ length: 300 }, (_, n) => eventOf(n + 1))
    await plain.transaction((sql) => insertPlan(sql, events))
  })
  after(async () => {
    await plain.close()
    await server.stop()
  })

  async function assertPlans(least: number): Promise<void> {
    assert.ok(statements.size >= least, `only ${statements.size} statements were seen`)
    assert.deepEqual(await wholeReads(plain, statements), [], 'without statistics of the tables')
    await plain.sql('ANALYZE')
    assert.deepEqual(await wholeReads(plain, statements), [], 'with statistics')
    statements.clear()
  }

  test('every query reads ranges of indexes', async () => {
    const queries = createQueries(database, { perTeam: 4, limitMs: 60_000 }).queriesOf('team_1')
    const some: DeliveryFilter[] = [
      {},
      { scriptId: 'scr_1' },
      { eventName: 'PageView' },
      { statuses: ['dead'] },
      { statuses: ['delivered'], scriptId: 'scr_1' },
      { reasons: ['consent'] },
      { eventName: 'PageView', statuses: ['dead'] },
      { userId: 'usr_1' },
      { people: ['usr_1', 'usr_2'] },
      { orderHash: 'aa' },
      { userId: 'usr_1', eventName: 'PageView', statuses: ['dead'] },
      { httpStatuses: [503] },
    ]
    const filters = some.flatMap((each) => [each, { ...each, fromMs: at + 5, toMs: at + day }])
    for (const filter of filters) {
      const { next } = await queries.deliveries('tag_1', filter, { limit: 5 })
      await queries.deliveries('tag_1', filter, { limit: 5, ...(next && { cursor: next }) })
      await queries.events('tag_1', filter, { limit: 5 })
    }
    const open = [{ deliveryId: 'dlv_1_1', status: 'pending', at } as const]
    await queries.watch('tag_1', { open, events: 5, hasEvents: true, after: { tagId: 'tag_1', position: 3, index: 0 } })
    const range = { from: at, to: at + day, step: 'hour' } as const
    await queries.stats('tag_1', range)
    await queries.eventsOf('tag_1', 'usr_1', { limit: 5 })
    await queries.channels('tag_1', ['scr_1', 'scr_2'])
    await queries.funnel('tag_1', { from: at + 600_000, to: at + 1_800_000 })
    await queries.funnel('tag_1', { from: at + 600_000, to: at + 1_800_000, scriptId: 'scr_1' })
    await queries.teamCounts(['tag_1', 'tag_2'], range)
    await queries.intake('tag_1', range)
    await queries.matches('tag_1', range)
    await queries.matches('tag_1', { ...range, scriptId: 'scr_1' })
    await queries.replayed('tag_1', ['rpl_1'])
    await assertPlans(30)
  })

  test('every read and write of users reads ranges of indexes', async () => {
    const users = createUserStore(database)
    const mark = randomBytes(16)
    const writeOf = (userId: string) => {
      const user = { tagId: 'tag_1', userId, sealed: randomBytes(4), seenAt: at }
      return { user, lookupKeys: { claims: [mark], confirmed: [mark], customs: [mark], isUnnamed: true } }
    }
    for (let n = 0; n < 2; n++) await users.put(['usr_1', 'usr_2'].map(writeOf))
    await users.getMany('tag_1', ['usr_1', 'usr_2'])
    await users.byEmails('tag_1', [mark])
    await users.byCustom('tag_1', mark, 5)
    await users.nextTag('')
    await users.unseen('tag_1', { seenBefore: at, erasedBefore: at + 1 }, 5)
    await users.usersAfter('tag_1', 'usr_1', 5)
    await users.deleteCrowded(at)
    await database.transaction(async (sql) => {
      await dropUser(sql, { drop: 'user', tagId: 'tag_1', userId: 'usr_1', seenAt: at })
      await eraseUserProfile(sql, { erase: 'user', tagId: 'tag_1', userId: 'usr_2', at })
      await addDroppedTag(sql, 'tag_1')
      while (await deleteTagSlice(sql, 'tag_1'));
    })
    await assertPlans(15)
  })

  test('every write of counts reads ranges of indexes', async () => {
    const row = { tagId: 'tag_1', at }
    const batch = {
      counts: [{ ...row, code: 'accepted', count: 1 }],
      latencies: [{ ...row, scriptId: 'scr_1', kind: 'response', bucket: 1, count: 1 }],
      refusals: [{ ...row, number: 1, code: 'x', method: 'POST', path: '/' }],
      seen: [{ ...row, call: 'tag', host: 'example.com' }],
      repeats: [{ ...row, key: 1n, count: 1 }],
      matches: [],
    } as const
    await database.transaction(async (sql) => {
      await writeChange(sql, { add: 'intake', batch })
      await writeChange(sql, { add: 'refusedCalls', rows: [{ ...row, of: 'tag', calls: 1 }] })
    })
    await assertPlans(8)
  })
})
