import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import type { Sql } from '#postgres/database.ts'
import { DatabaseAway } from '#postgres/databaseError.ts'
import type { LeasedRecord } from '#stream/stream.ts'
import { openLeases, type SlotLeases } from './leases.ts'
import type { TodoRow } from './slotCursors.ts'

const neverAborted = new AbortController().signal
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const snapshot = { slot: -1, xid: 20, position: 0, tag: '', events: 0, bytes: 0, xmax: 20 }

describe('a caller of lease', () => {
  let rows: TodoRow[]
  let isAway: boolean
  let leases: SlotLeases

  beforeEach(() => {
    ;[rows, isAway] = [[], false]
    const sql = (async () => [snapshot, ...rows]) as unknown as Sql
    leases = openLeases({
      database: { sql, listen: () => ({ close: async () => {} }) },
      bodies: {
        async readMany(positions): Promise<LeasedRecord[]> {
          if (isAway) throw new DatabaseAway('no primary responds')
          return positions.map((position) => ({ position, tagId: 't', payload: new Uint8Array(), newIndexes: [0] }))
        },
      },
      slots: () => [1],
      openedAt: 0,
      monotonicMs: () => 0, // after the first read, no read becomes due by the time
    })
  })
  /** The positions that a lease returns without waiting. */
  async function leaseNow(): Promise<number[]> {
    const aborter = new AbortController()
    const leasing = leases.lease(10, aborter.signal)
    await turn()
    aborter.abort()
    return (await leasing).map(({ position }) => position)
  }

  test('gets a record at once whose payload could not be read before', async () => {
    rows = [{ slot: 1, xid: 10, position: 7, tag: 't', events: 1, bytes: 1 }]
    isAway = true
    await assert.rejects(leases.lease(10, neverAborted), DatabaseAway)
    isAway = false
    assert.deepEqual(await leaseNow(), [7])
    assert.deepEqual(await leaseNow(), [])
  })

  test('that waits is rejected at once when the leases are closed', async () => {
    const rejection = leases.lease(10, neverAborted).catch(({ message }) => message)
    await turn()
    const closing = leases.close()
    assert.equal(await Promise.race([rejection, turn()]), 'the stream is closed')
    await closing
  })
})
