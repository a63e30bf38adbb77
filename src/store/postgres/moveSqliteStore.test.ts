import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import type { Database } from '#postgres/database.ts'
import { DatabaseAway } from '#postgres/databaseError.ts'
import { datePositions } from '#postgres/movedPositions.ts'
import { decodeCursor, encodeCursor } from '#store/cursor.ts'
import { fillEveryTable, filledPositions } from '#store/everyTable.fixture.ts'
import { openSqliteStore } from '#store/sqlite/sqliteStore.ts'
import { at, tag } from '#store/store.fixture.ts'
import type { Store } from '#store/store.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { movedTables } from './movedTables.ts'
import { moveSqliteStore } from './moveSqliteStore.ts'
import { openPostgresStore } from './postgresStore.ts'
import { createSchema, type SchemaLocation } from './storeOnSchema.fixture.ts'

const day = 86_400_000
const today = Math.floor(at / day)
const { toPosition } = datePositions([
  { day: today, position: 1 },
  { day: today + 1, position: 3 },
])
const move = { source: '2026-11-23T00:00:00.000Z', portion: 2, toPosition }
const bytes = (text: string) => new Uint8Array(Buffer.from(text))

test('positions keep their order and get their day, also where a clock was set back', () => {
  const { toPosition: toDated, spans } = datePositions([
    { day: 10, position: 6 },
    { day: 10, position: 5 },
    { day: 11, position: 9 },
    { day: 12, position: 7 },
  ])
  const dayOf = (position: number) => Math.floor(toDated(position) / 2 ** 38)
  assert.deepEqual([1, 5, 6, 7, 8, 9].map(dayOf), [10, 10, 10, 12, 12, 12])
  assert.equal(toDated(9) % 2 ** 38, 9)
  assert.deepEqual(spans, [
    { day: 10, from: 5, to: 6 },
    { day: 12, from: 7, to: Number.POSITIVE_INFINITY },
  ])
})

const skip = await skipWithoutPostgres()

describe('moving a store of files to PostgreSQL', { skip }, () => {
  let server: PostgresServer
  let folder: string
  let files: Store
  let db: DatabaseSync
  before(async () => {
    server = await startPostgres()
    folder = await mkdtemp(join(tmpdir(), 'aglet-move-'))
    files = await openSqliteStore(join(folder, 'store.db'))
    await fillEveryTable(files)
    await files.journal.pendingCount() // folds the log, as a backup does
    db = new DatabaseSync(join(folder, 'store.db'), { readOnly: true })
  })
  after(async () => {
    db.close()
    await files.close()
    await rm(folder, { recursive: true, force: true })
    await server.stop()
  })

  async function inSchema(work: (schema: SchemaLocation) => Promise<void>): Promise<void> {
    const schema = await createSchema(server.url)
    try {
      await work(schema)
    } finally {
      await schema.remove()
    }
  }

  test('everything that was stored is read as before', async () => {
    await inSchema(async ({ database }) => {
      const counts = await moveSqliteStore(db, database, move)
      const empty = Object.entries(counts).filter(([, count]) => count === 0)
      assert.deepEqual(empty, [], 'every table of the test has rows')
      const moved = await openPostgresStore({ database })
      for (const [what, read] of Object.entries(reads)) {
        const expected = await read(files)
        assert.ok(expected, what)
        assert.deepEqual(await read(moved), expected, what)
      }
      for (const position of filledPositions) {
        const { position: _, ...expected } = (await files.journal.event('tag_1', position, 0))!
        const { position: found, ...event } = (await moved.journal.event('tag_1', toPosition(position), 0))!
        assert.deepEqual([event, found], [expected, toPosition(position)])
      }
      const [order] = await moved.queries('team_1').ordersById('tag_1', ['1'])
      assert.equal(order?.purchases[0]?.position, toPosition(1))
      const replay = await moved.replays.get('rep_1')
      assert.deepEqual(replay?.filter, { statuses: ['dead'], places: [[toPosition(1), 0]] })
      const [position, index] = decodeCursor((await files.replays.get('rep_2'))!.cursor!, 2)
      const { cursor } = (await moved.replays.get('rep_2'))!
      assert.equal(cursor, encodeCursor(toPosition(position!), index!), 'it goes on where it was')
    })
  })

  test('new rows come after the moved ones, and a dropped tag takes the secrets of its deployments with it', async () => {
    await inSchema(async ({ database }) => {
      await moveSqliteStore(db, database, move)
      const moved = await openPostgresStore({ database })
      await moved.write([{ add: 'tag', row: tag(2) }])
      const { rows } = await moved.tags('team_1', { limit: 5 })
      assert.deepEqual(
        rows.map(({ tagId }) => tagId),
        ['tag_2', 'tag_1'],
      )
      await moved.write([{ drop: 'tag', tagId: 'tag_1' }])
      assert.equal(await moved.secret({ secretId: 'sec_1', version: 1 }), undefined)
    })
  })

  test('a move that was interrupted at any portion goes on when it is run again', async () => {
    await inSchema(async ({ database }) => {
      const whole = async (allowed: number) => {
        let left = allowed
        const failing: Database = {
          ...database,
          async transaction(work) {
            if (left-- <= 0) throw new DatabaseAway('gone')
            return database.transaction(work)
          },
        }
        return moveSqliteStore(db, failing, move)
      }
      let counts: Record<string, number> | undefined
      for (let runs = 0; !counts; runs++) {
        assert.ok(runs < 200)
        counts = await whole(3).catch((error) => {
          assert.ok(error instanceof DatabaseAway, String(error))
          return undefined
        })
      }
      const again = await moveSqliteStore(db, database, move)
      assert.deepEqual(again, counts)
      for (const { name } of movedTables(db))
        assert.equal(counts[name], db.prepare(`SELECT count(*) AS count FROM "${name}"`).get()!.count, name)
    })
  })

  test('a database that has other data is refused, and nothing is written', async () => {
    await inSchema(async ({ database }) => {
      await (await openPostgresStore({ database })).write([{ put: 'setting', name: 'a', value: 'b' }])
      await assert.rejects(moveSqliteStore(db, database, move), /is not empty/)
      assert.deepEqual(await database.sql('SELECT * FROM moved_table'), [])
    })
    await inSchema(async ({ database }) => {
      await moveSqliteStore(db, database, move)
      await assert.rejects(
        moveSqliteStore(db, database, { ...move, source: 'another' }),
        /data from the backup of 2026-11-23/,
      )
    })
  })
})

const page = { limit: 10 }

/** The reads that are compared between both stores. */
const reads: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  team: (store) => store.team('team_1'),
  person: (store) => store.accounts.personByEmail(bytes('key')),
  token: (store) => store.tokenById('tok_1'),
  tag: (store) => store.tag('tag_1'),
  script: (store) => store.script('scr_1'),
  secret: (store) => store.secret({ secretId: 'sec_1', version: 1 }),
  deployments: (store) => store.deployments(),
  hosts: (store) => store.hostClaims('all'),
  hooks: (store) => store.hooks('team_1', page),
  sealingKeys: (store) => store.sealingKeys(),
  setting: (store) => store.setting('checked.at'),
  policies: (store) => store.policies(),
  acceptances: (store) => store.acceptances('team_1'),
  audit: (store) => store.audit('team_1', page),
  members: (store) => store.accounts.members('team_1'),
  invitation: (store) => store.accounts.invitation(bytes('invitation')),
  link: (store) => store.accounts.signInLink(bytes('link')),
  session: (store) => store.accounts.session(bytes('session')),
  devices: (store) => store.accounts.devicesOf('per_1'),
  emailChange: (store) => store.accounts.emailChange('per_1'),
  application: (store) => store.accounts.application('app_1'),
  grants: (store) => store.accounts.grantsOf('per_1'),
  used: (store) => store.accounts.isSecretUsed(bytes('used')),
  alerts: (store) => store.alerts.list('team_1', page),
  contactPoints: (store) => store.incidents.contactPoints('team_1', page),
  alertRules: (store) => store.incidents.rules('team_1', page),
  incidents: (store) => store.incidents.active(),
  dueAlerts: (store) => store.alerts.due(at + day, 5),
  runs: (store) => store.runs.list('scr_1', page),
  orders: async (store) =>
    (await store.queries('team_1').ordersById('tag_1', ['1'])).map(({ purchases, ...order }) => {
      return { ...order, purchases: purchases.map(({ position: _, ...purchase }) => purchase) }
    }),
  orderPayloads: (store) => store.orders.payloads('tag_1', ['1']),
  orderOwners: (store) => store.orders.owners('tag_1', ['aa']),
  runOfEvent: (store) => store.runs.ofEvent('tag_1', [7n]),
  user: (store) => store.users.get('tag_1', 'usr_1'),
  email: (store) => store.users.byEmail('tag_1', bytes('email')),
  custom: (store) => store.users.byCustom('tag_1', bytes('custom'), 5),
  intake: (store) => store.queries('team_1').intake('tag_1', { from: at - day, to: at + day, step: 'day' }),
  stats: (store) => store.queries('team_1').stats('tag_1', { from: at - day, to: at + day, step: 'day' }),
  lastDelivered: async (store) => {
    const [channel] = await store.queries('team_1').channels('tag_1', ['scr_2'])
    return channel?.lastDeliveredAt
  },
  exchanges: (store) => store.journal.exchangePack(1),
  pauses: (store) => store.journal.pauses(),
  pending: (store) => store.journal.pendingCount(),
}
