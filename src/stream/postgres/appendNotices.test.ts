import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import type { Sql } from '#postgres/database.ts'
import { DatabaseAway } from '#postgres/databaseError.ts'
import { until } from '../../../test/fake/clock.ts'
import { type AppendNotices, gatherNotices, openAppendNotices, readNotice } from './appendNotices.ts'

describe('a process that appends tells the owners of slots', () => {
  let now: number
  let sent: number[][]
  let isAway: boolean
  let notices: AppendNotices

  beforeEach(() => {
    ;[now, sent, isAway] = [1_000_000, [], false]
    const sql = (async (_text, [channel, payload] = []) => {
      assert.equal(channel, 'production_todo')
      if (isAway) throw new DatabaseAway('no primary responds')
      sent.push(readNotice(String(payload)))
      return []
    }) as Sql
    notices = openAppendNotices({ sql, schema: 'production' }, { monotonicMs: () => now })
  })

  test('of new records, and within a second not again', async () => {
    notices.appended([1, 2])
    notices.appended([1])
    now += 999
    notices.appended([2])
    await notices.close()
    assert.deepEqual(sent, [[1, 2]])
  })

  test('again after a second, of all slots that had records meanwhile', async () => {
    notices.appended([1, 2])
    now += 500
    notices.appended([2])
    now += 500
    notices.appended([1])
    await until('the second notice is sent', () => sent.length === 2)
    assert.deepEqual(sent, [
      [1, 2],
      [2, 1],
    ])
    await notices.close()
  })

  test('of slots that had no records before at once', async () => {
    notices.appended([1])
    notices.appended([3])
    await until('both notices are sent', () => sent.length === 2)
    assert.deepEqual(sent, [[1], [3]])
    await notices.close()
  })

  test('of the next record when a notice could not be sent', async () => {
    isAway = true
    notices.appended([1])
    await new Promise(setImmediate)
    isAway = false
    notices.appended([1])
    await until('the notice is sent', () => sent.length === 1)
    assert.deepEqual(sent, [[1]])
    await notices.close()
  })
})

test('a notice is passed on at once, and those of the next 10 ms together, and no number that is no slot', async () => {
  const passed: number[][] = []
  const notices = gatherNotices((slots) => void passed.push([...slots]))
  notices.notified('7')
  assert.deepEqual(passed, [[7]])
  for (let n = 0; n < 1_000; n++) notices.notified(`${n} ${n / 2} -1 NaN 1e999 x`)
  await until('the others are passed on', () => passed.length > 1)
  assert.deepEqual(
    passed[1]!.sort((one, other) => one - other),
    Array.from({ length: 256 }, (_, slot) => slot),
  )
  notices.close()
})

test('slots that are not passed on yet are dropped on closing', async () => {
  const passed: string[] = []
  const open = (name: string) => gatherNotices((slots) => void passed.push(`${name} ${[...slots]}`))
  const [closed, other] = [open('closed'), open('other')]
  for (const notices of [closed, other]) for (const payload of ['7', '8']) notices.notified(payload)
  closed.close()
  await until('the slots of the other are passed on', () => passed.includes('other 8')) // its timer began later
  assert.deepEqual(passed, ['closed 7', 'other 7', 'other 8'])
  other.close()
})
