import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import type { Clock } from '#kit/clock.ts'
import { type Database, openDatabase } from '#postgres/database.ts'
import { DatabaseAway } from '#postgres/databaseError.ts'
import { migrate } from '#postgres/migrate.ts'
import { datePositions } from '#postgres/movedPositions.ts'
import { openLogStream } from '#stream/log/logStream.ts'
import { dayMs, entry, start, textOf } from '#stream/stream.fixture.ts'
import { type PostgresServer, skipWithoutPostgres, startPostgres } from '../../../test/fake/postgresServer.ts'
import { moveSqliteStream, readDayStarts } from './moveSqliteStream.ts'
import { openPostgresStream } from './postgresStream.ts'

const skip = await skipWithoutPostgres()
const never = new AbortController().signal

describe('moving a stream of files to PostgreSQL', { skip }, () => {
  let server: PostgresServer
  let folder: string
  let db: DatabaseSync
  let nowMs = start
  const clock: Clock = { now: () => nowMs, wait: async () => {} }
  let schemas = 0
  before(async () => {
    server = await startPostgres()
    folder = await mkdtemp(join(tmpdir(), 'aglet-move-'))
    const files = await openLogStream(join(folder, 'stream.db'), clock)
    for (const n of [1, 2, 3]) await files.append(entry([BigInt(n), BigInt(-n)], `first day ${n}`))
    await files.settle([1, 3])
    nowMs += dayMs
    await files.append(entry([9n, 1n, 10n], 'next day, the second event is known'))
    await files.append(entry([11n], 'next day, last'))
    await files.settle([5])
    await files.close()
    db = new DatabaseSync(join(folder, 'stream.db'), { readOnly: true })
  })
  after(async () => {
    db.close()
    await rm(folder, { recursive: true, force: true })
    await server.stop()
  })

  const positions = () => datePositions(readDayStarts(db))
  const move = (database: Database) =>
    moveSqliteStream(db, database, { source: 'backup', portion: 2, positions: positions() })

  async function inSchema(work: (database: Database) => Promise<void>): Promise<void> {
    const database = openDatabase({ url: server.url, schema: `moved_${schemas++}`, connections: 4 })
    await migrate(database)
    await work(database).finally(database.close)
  }

  test('records are read at their new positions, and those that were not settled are leased in order', async () => {
    await inSchema(async (database) => {
      await move(database)
      const stream = await openPostgresStream({ database, clock })
      const { toPosition } = positions()
      const texts = await Promise.all(
        [1, 2, 3, 4, 5].map(async (position) => textOf((await stream.read(toPosition(position)))!.payload)),
      )
      assert.deepEqual(texts, [
        ...['first day 1', 'first day 2', 'first day 3'],
        ...['next day, the second event is known', 'next day, last'],
      ])
      assert.equal(await stream.waiting(), 2)
      const leased = await stream.lease(5, never)
      assert.deepEqual(
        leased.map(({ position, newIndexes, mayBePlanned }) => ({ position, newIndexes, mayBePlanned })),
        [
          { position: toPosition(2), newIndexes: [0, 1], mayBePlanned: true },
          { position: toPosition(4), newIndexes: [0, 2], mayBePlanned: true },
        ],
      )
      await stream.close()
    })
  })

  test('an event that was stored in the files is a duplicate, and is found', async () => {
    await inSchema(async (database) => {
      await move(database)
      const stream = await openPostgresStream({ database, clock })
      const { toPosition } = positions()
      assert.deepEqual(await stream.append(entry([-2n, 10n, 12n])), [false, false, true])
      assert.deepEqual(await stream.find(-2n), { position: toPosition(2), index: 1 })
      assert.deepEqual(await stream.find(10n), { position: toPosition(4), index: 2 })
      await stream.close()
    })
  })

  test('a new record comes after the moved ones', async () => {
    await inSchema(async (database) => {
      await move(database)
      const stream = await openPostgresStream({ database, clock })
      await stream.append(entry([20n], 'new'))
      const { position } = (await stream.find(20n))!
      assert.equal(position, positions().toPosition(6))
      await stream.close()
    })
  })

  test('a move that was interrupted goes on when it is run again', async () => {
    await inSchema(async (database) => {
      let counts: Record<string, number> | undefined
      for (let runs = 0; !counts; runs++) {
        assert.ok(runs < 50)
        let left = 7 // five of them create tables
        const failing: Database = {
          ...database,
          async transaction(work) {
            if (left-- <= 0) throw new DatabaseAway('gone')
            return database.transaction(work)
          },
        }
        counts = await move(failing).catch((error) => {
          assert.ok(error instanceof DatabaseAway, String(error))
          return undefined
        })
      }
      assert.deepEqual(await move(database), counts)
      assert.deepEqual(
        Object.values(counts).reduce((sum, count) => sum + count),
        5 + 2 + 9,
      )
    })
  })
})
