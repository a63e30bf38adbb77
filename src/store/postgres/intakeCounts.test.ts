import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Database } from '#postgres/database.ts'
import { type IntakeBatch, keptHosts, keptRefusals } from '#store/intake.ts'
import { readIntake as intakeReader } from '#store/sql/intakeReads.ts'
import { awaitRead } from '#store/sql/read.ts'
import { at } from '#store/store.fixture.ts'
import { skipWithoutPostgres } from '../../../test/fake/postgresServer.ts'
import { postgresDialect } from './dialect.ts'
import { createReads } from './statements.ts'
import { writeChange } from './storeChanges.ts'
import { startTwoDatabases } from './storeOnSchema.fixture.ts'

const readIntake = intakeReader(postgresDialect)
const skip = await skipWithoutPostgres()
const empty: IntakeBatch = { counts: [], latencies: [], refusals: [], seen: [], repeats: [], matches: [] }

describe('counts that several processes write', { skip }, () => {
  let databases: [Database, Database]
  let stop: () => Promise<void>
  before(async () => {
    ;({ databases, stop } = await startTwoDatabases())
  })
  after(() => stop())

  const writeFrom = (process: number, batch: Partial<IntakeBatch>) =>
    databases[process]!.transaction((sql) => writeChange(sql, { add: 'intake', batch: { ...empty, ...batch } }))
  const intakeOf = (tagId: string) =>
    awaitRead(
      readIntake(tagId, { from: at - 3_600_000, to: at + 3_600_000, step: 'day' }),
      createReads(databases[0]!.sql),
    )

  test('are added up, in whatever order their rows come', async () => {
    const rows = Array.from({ length: 50 }, (_, n) => ({ tagId: `tag_${n % 5}`, at, code: `code ${n % 10}`, count: 1 }))
    const refused = rows.map(({ tagId }) => ({ tagId, at, of: 'tag' as const, calls: 2 }))
    for (let round = 0; round < 10; round++)
      await Promise.all(
        [rows, rows.toReversed()].map(async (counts, process) => {
          await writeFrom(process, { counts, repeats: counts.map(({ tagId }) => ({ tagId, key: 7n, at, count: 1 })) })
          await databases[process]!.transaction((sql) => writeChange(sql, { add: 'refusedCalls', rows: refused }))
        }),
      )
    for (let n = 0; n < 5; n++) {
      const { counts } = await intakeOf(`tag_${n}`)
      assert.deepEqual(
        counts.map(({ code, count }) => [code, count]),
        [n, n + 5].map((code) => [`code ${code}`, 100]),
      )
    }
    const sums =
      'SELECT (SELECT sum(count)::int FROM event_repeat) AS repeats, (SELECT sum(count)::int FROM refused_count) AS refused'
    assert.deepEqual(await databases[0]!.sql(sums), [{ repeats: 1_000, refused: 2_000 }])
  })

  test('keep the last refusals and hosts of all processes', async () => {
    const tagId = 'tag_kept'
    const refusal = { tagId, code: 'x', method: 'POST', path: '/tag' }
    const batchOf = (process: number) => ({
      refusals: Array.from({ length: 80 }, (_, n) => ({
        ...refusal,
        number: 2 * n + process,
        at: at + 2 * n + process,
      })),
      seen: Array.from({ length: 40 }, (_, n) => {
        return { tagId, call: 'tag' as const, at: at + 2 * n + process, host: `${2 * n + process}.example.com` }
      }),
    })
    await Promise.all([0, 1].map((process) => writeFrom(process, batchOf(process))))
    await writeFrom(0, { refusals: [{ ...refusal, number: 999, at: at + 999 }] })
    await writeFrom(1, { seen: [{ tagId, call: 'tag', at: at + 999, host: 'last.example.com' }] })
    const { refusals, seen } = await intakeOf(tagId)
    assert.deepEqual([refusals.length, refusals[0]?.at, refusals.at(-1)?.at], [keptRefusals, at + 999, at + 61])
    assert.deepEqual([seen.length, seen[0]?.host, seen.at(-1)?.at], [keptHosts, 'last.example.com', at + 31])
  })

  test('do not replace the last call of a host by an earlier one', async () => {
    const seenAt = (ms: number) => ({ tagId: 'tag_seen', call: 'tag' as const, host: 'example.com', at: at + ms })
    await writeFrom(0, { seen: [seenAt(9)] })
    await writeFrom(1, { seen: [seenAt(3), seenAt(5)] })
    assert.deepEqual((await intakeOf('tag_seen')).seen, [{ call: 'tag', host: 'example.com', at: at + 9 }])
  })
})
