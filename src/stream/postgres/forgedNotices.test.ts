import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { slotOf } from '#cluster/slotOf.ts'
import type { Database } from '#postgres/database.ts'
import { entry, textOf } from '#stream/stream.fixture.ts'
import { skipWithoutPostgres } from '../../../test/fake/postgresServer.ts'
import { setUpStreams } from './networkedStreams.fixture.ts'

const skip = await skipWithoutPostgres()
const neverAborted = new AbortController().signal

describe('notices of new records that no process sent', { skip, timeout: 40_000 }, () => {
  const shared = setUpStreams()

  test('of any text and number lead to reads of owned slots alone, and no record is leased twice', async () => {
    const own = slotOf('tag_1')
    const read: unknown[][] = []
    const database: Database = {
      ...shared.database,
      sql: ((text, values) => {
        if (/\btodo\b/.test(text) && !/INSERT|pg_notify/.test(text)) read.push([...(values ?? [])])
        return shared.database.sql(text, values)
      }) as Database['sql'],
    }
    const ownership = await shared.member('mem_1', [own])
    const [writer, reader] = [await shared.open(), await shared.open({ database, ownership } as object)]
    await writer.append(entry([1n], 'one'))
    const leased = (await reader.lease(10, neverAborted)).map(({ payload }) => textOf(payload))
    assert.deepEqual(leased, ['one'])
    const waiting = reader.lease(10, neverAborted)
    read.length = 0
    const all = Array.from({ length: 256 }, (_, slot) => slot).join(' ')
    const junk = [
      '',
      ' ',
      '-1',
      '1.5',
      '1e999',
      'NaN',
      '0x10',
      `${own} `.repeat(1_900),
      '7 '.repeat(3_900),
      all,
      'x'.repeat(7_900),
    ]
    const other = shared.openDatabase()
    const channel = `${shared.database.schema}_todo`
    const began = performance.now()
    for (let n = 0; n < 100; n++)
      await Promise.all(
        junk.map((payload) => other.sql('SELECT pg_notify($1, $2)', [channel, n % 2 ? payload : `${n} ${payload}`])),
      )
    await writer.append(entry([2n], 'two'))
    assert.deepEqual(
      (await waiting).map(({ payload }) => textOf(payload)),
      ['two'],
    )
    const most = (performance.now() - began) / 5 + 10
    assert.ok(read.length < most, `${read.length} reads for 1,100 notices, ${most} may be`)
  })
})
