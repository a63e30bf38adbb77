import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CommitUnknown, DatabaseAway, DatabaseError, DatabaseReadOnly } from '#postgres/databaseError.ts'
import { isStoreAway } from './isStoreAway.ts'
import { Conflict, Unwritable } from './store.ts'

const withCode = (code: string) => new DatabaseError(code, { code })

test('a full disk, a lost or read-only database, a deadlock and a lock that is not granted may end by themselves', () => {
  const errors = [
    new Unwritable('the disk is full'),
    new CommitUnknown('the answer was lost'),
    new DatabaseAway('no primary answers'),
    new DatabaseReadOnly('the server accepts only reads'),
    withCode('40001'),
    withCode('40P01'),
    withCode('55P03'),
  ]
  assert.deepEqual(
    errors.filter((error) => !isStoreAway(error)),
    [],
  )
})

test('an error that the same call would meet again is not a store that is away', () => {
  const errors = [new Conflict('tag.name'), withCode('23505'), withCode('42703'), new Error('40001'), undefined]
  assert.deepEqual(errors.filter(isStoreAway), [])
})
