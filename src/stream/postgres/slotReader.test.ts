import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import type { Sql } from '#postgres/database.ts'
import { type LeaseQueue, leaseQueue } from './leaseQueue.ts'
import { type SlotReader, slotReader } from './slotReader.ts'

const ownerOf = () => ''
const snapshot = { slot: -1, xid: 20, position: 0, tag: '', events: 0, bytes: 0, xmax: 20 }

describe('a worker reads', () => {
  let now: number
  let reads: number
  let rows: object[]
  let owned: number[]
  let queue: LeaseQueue
  let reader: SlotReader

  beforeEach(() => {
    ;[now, reads, rows, owned] = [1_000_000, 0, [], [1, 2]]
    const sql = (async () => {
      reads++
      return [snapshot, ...rows.splice(0)]
    }) as unknown as Sql
    queue = leaseQueue()
    queue.setSlots(owned)
    reader = slotReader(queue, { database: { sql }, slots: () => owned, monotonicMs: () => now })
  })
  /** Reads whenever a read is due, checked each millisecond; returns the number of database reads. */
  async function readsWithin(ms: number): Promise<number> {
    const before = reads
    for (const end = now + ms; now < end; now++) if (reader.isDue()) await reader.read(ownerOf)
    return reads - before
  }
  /** Resolves when the first read is over and no slot is active. */
  const idle = () => readsWithin(5_000)

  test('all its slots every three seconds or a little less while no record comes', async () => {
    await idle()
    const count = await readsWithin(30_000)
    assert.ok(count >= 9 && count <= 13, `${count} reads in 30 s`)
  })

  test('a slot with new records at once, and then every 50 ms for longer than they are announced', async () => {
    await idle()
    await reader.read(ownerOf)
    now += 100
    const before = reads
    reader.appended([1])
    assert.ok(reader.isDue())
    await reader.read(ownerOf)
    assert.equal(reads, before + 1)
    assert.ok((await readsWithin(1_900)) >= 37)
    await readsWithin(200)
    assert.ok((await readsWithin(5_000)) <= 3)
  })

  test('a slot with new records at once also while it waits for the next read', async () => {
    await reader.read(ownerOf)
    const woken = reader.wait(new AbortController().signal).then(() => true)
    reader.appended([1])
    assert.equal(await Promise.race([woken, new Promise(setImmediate)]), true)
  })

  test('nothing for slots of others', async () => {
    reader.readSoon()
    await reader.read(ownerOf)
    now += 1
    reader.appended([3])
    assert.equal(reader.isDue(), false)
  })

  test('all its slots at once when notices may have been missed', async () => {
    await idle()
    await reader.read(ownerOf)
    reader.readSoon()
    assert.ok(reader.isDue())
    assert.ok((await readsWithin(1_900)) >= 37, 'others do not announce what they have announced just before')
  })

  test('a slot again as soon as it has room for more, as long as that takes', async () => {
    rows = Array.from({ length: 1_000 }, (_, n) => ({
      ...snapshot,
      slot: 1,
      xid: 10,
      position: n + 1,
      tag: 't',
      events: 1,
    }))
    await idle()
    assert.deepEqual(
      queue.cursors().map(({ slot }) => slot),
      [2],
    )
    await readsWithin(60_000)
    queue.next()
    const before = reads
    await readsWithin(51)
    assert.ok(reads > before)
  })
})
