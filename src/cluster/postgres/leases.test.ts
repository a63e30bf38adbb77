import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '#postgres/database.ts'
import { openLeases } from './leases.ts'

const membership = { id: () => 'mem_1', silentMs: () => 0 }

/** A table of leases whose statements are answered when the test allows it. */
function openSlowTable() {
  const rows = new Set<string>()
  const waiting: (() => void)[] = []
  async function sql(text: string, [names]: [string[]]): Promise<{ name: string }[]> {
    await new Promise<void>((resolve) => waiting.push(resolve))
    const isDelete = text.startsWith('DELETE')
    for (const name of names) isDelete ? rows.delete(name) : rows.add(name)
    return names.map((name) => ({ name }))
  }
  async function answerAll(): Promise<void> {
    for (let turns = 0; turns < 20; turns++) {
      // Newest first, because statements on two connections end in any order.
      waiting.pop()?.()
      await new Promise(setImmediate)
    }
  }
  return { rows, answerAll, database: { sql } as unknown as Database }
}

test('a lease that is released while it is renewed is free afterwards, and stays so', async () => {
  const { rows, answerAll, database } = openSlowTable()
  const leases = openLeases({ database, membership, monotonicMs: () => 0 })
  let finish = () => {}
  const work = leases.exclusive('start', () => new Promise<void>((resolve) => (finish = resolve)))
  await answerAll()
  assert.deepEqual([...rows], ['start'])
  const renewal = leases.renew()
  finish()
  await new Promise(setImmediate)
  await answerAll()
  await Promise.all([work, renewal])
  assert.deepEqual([...rows], [])
  const later = leases.renew()
  await answerAll()
  await later
  assert.deepEqual([...rows], [])
})

test('a lease whose release failed is released with the next renewal', async () => {
  const texts: string[] = []
  let isAway = false
  const database = {
    async sql(text: string, [names]: [string[]]) {
      if (isAway) throw new Error('away')
      texts.push(text.split(' AND ')[0]!)
      return names.map((name) => ({ name }))
    },
  } as unknown as Database
  const leases = openLeases({ database, membership, monotonicMs: () => 0 })
  const work = leases.exclusive('start', async () => {
    isAway = true
  })
  await assert.rejects(work, /away/)
  isAway = false
  await leases.renew()
  assert.equal(texts.at(-1), 'DELETE FROM lease WHERE name <> ALL($1)')
  await leases.renew()
  assert.equal(texts.length, 2)
})
