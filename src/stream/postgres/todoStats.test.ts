import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { entry, start } from '#stream/stream.fixture.ts'
import { skipWithoutPostgres } from '../../../test/fake/postgresServer.ts'
import { setUpStreams } from './networkedStreams.fixture.ts'
import { readTodoStats } from './todoStats.ts'

const skip = await skipWithoutPostgres()

describe('the records that wait in a database', { skip, timeout: 40_000 }, () => {
  const shared = setUpStreams()

  test('are counted, with the time of the oldest; there is none in an empty stream', async () => {
    const stream = await shared.open()
    assert.deepEqual(await readTodoStats(shared.database), { records: 0 })
    for (const key of [1n, 2n]) await stream.append(entry([key], 'one'))
    const { records, oldestAt } = await readTodoStats(shared.database)
    assert.equal(records, 2)
    assert.ok(oldestAt !== undefined && oldestAt >= start)
  })
})
