import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OwnershipLost } from '#postgres/ownership.ts'
import { CommitUnknown, DatabaseAway, DatabaseError, DatabaseReadOnly } from './databaseError.ts'
import { repeatUnknown, repeatWhileAway } from './repeatWhileAway.ts'

/** Work that throws these errors one after the other, and then resolves to the number of runs. */
function failing(...errors: Error[]) {
  let runs = 0
  return async () => {
    const error = errors[runs++]
    if (error) throw error
    return runs
  }
}

test('work is repeated while the database is away, read-only, locked, or a commit is unknown', async () => {
  const errors = [
    new DatabaseAway('away'),
    new DatabaseReadOnly('full'),
    new DatabaseError('lock timeout', { code: '55P03' }),
    new CommitUnknown('lost'),
  ]
  const failures: unknown[] = []
  assert.equal(await repeatWhileAway(failing(...errors), { failed: (error) => failures.push(error) }), 5)
  assert.deepEqual(failures, errors)
})

test('work that fails for another reason is not repeated', async () => {
  for (const error of [
    new OwnershipLost('ended'),
    new DatabaseError('unique', { code: '23505' }),
    new TypeError('bug'),
  ])
    await assert.rejects(repeatWhileAway(failing(error)), error)
})

test('the last error is thrown when the time is over', async () => {
  const error = new DatabaseAway('still away')
  const work = failing(...Array.from({ length: 100 }, () => error))
  await assert.rejects(repeatWhileAway(work, { forMs: 150 }), error)
})

test('an unknown commit is thrown when the time is over, whatever happened after it', async () => {
  const unknown = new CommitUnknown('lost')
  const work = failing(unknown, ...Array.from({ length: 100 }, () => new DatabaseAway('still away')))
  await assert.rejects(repeatWhileAway(work, { forMs: 150 }), unknown)
})

test('a write is repeated after an unknown commit, then also while the database is away', async () => {
  assert.equal(await repeatUnknown(failing(new CommitUnknown('lost'), new DatabaseAway('away'))), 3)
})

test('a write of which nothing was sent is not repeated', async () => {
  const error = new DatabaseAway('away')
  await assert.rejects(repeatUnknown(failing(error)), error)
})
