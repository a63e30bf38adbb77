import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ReplayFilter, ReplayRecord } from './replays.ts'
import { at, baseChanges, idOf, plannedEvent, type StoreLocation } from './store.fixture.ts'
import type { Store } from './store.ts'

const record = (n: number, more: Partial<ReplayRecord> = {}): ReplayRecord => ({
  replayId: `rep_${n}`,
  tagId: 'tag_1',
  teamId: 'team_1',
  filter: { statuses: ['dead'], from: 1, places: [[5, 0]] },
  by: 'tok_1',
  state: 'queued',
  createdAt: at + n,
  tally: { scr_1: { matched: 2, replayed: 1, left: { tooOld: 1 } } },
  ...more,
})

/** The laws of every store for replays. */
export function replayLaws(createLocation: () => Promise<StoreLocation>): void {
  describe('replays', () => {
    let location: StoreLocation
    let store: Store
    before(async () => {
      location = await createLocation()
      store = await location.open()
      await store.write(baseChanges)
      await store.journal.plan(Array.from({ length: 20 }, (_, n) => plannedEvent(n + 1)))
      const failed = [3, 7, 7.5, 12].map((n) => idOf(Math.floor(n), 0, `scr_${n % 1 ? 2 : 1}`))
      await store.journal.settle(failed.map((deliveryId) => ({ deliveryId, status: 'dead', reason: 'vendorDown' })))
      await store.journal.settle([{ deliveryId: idOf(9, 0, 'scr_1'), status: 'delivered' }])
    })
    after(async () => {
      await store.close()
      await location.remove()
    })

    /** All deliveries that match a filter, read in pages. */
    async function walk(filter: ReplayFilter, limit: number): Promise<string[]> {
      const ids: string[] = []
      let reached: string | undefined
      do {
        const found = await store.replays.candidates('tag_1', filter, reached, limit)
        ids.push(...found.rows.map(({ deliveryId }) => deliveryId))
        reached = found.cursor
      } while (reached !== undefined)
      return ids
    }

    test('failed deliveries are found once each, in order of arrival, for any page size', async () => {
      const all = [idOf(3, 0, 'scr_1'), idOf(7, 0, 'scr_1'), idOf(7, 0, 'scr_2'), idOf(12, 0, 'scr_1')]
      for (const limit of [1, 2, 3, 100]) {
        assert.deepEqual(await walk({ statuses: ['dead', 'refused'] }, limit), all)
        const any = await walk({ statuses: ['dead', 'delivered'] }, limit)
        assert.deepEqual(any, [...all.slice(0, 3), idOf(9, 0, 'scr_1'), idOf(12, 0, 'scr_1')])
      }
    })

    test('a filter restricts by time, name, script and position', async () => {
      const dead = { statuses: ['dead'] } as const
      assert.deepEqual(await walk({ ...dead, from: at + 7, to: at + 11 }, 2), [
        idOf(7, 0, 'scr_1'),
        idOf(7, 0, 'scr_2'),
      ])
      assert.deepEqual(await walk({ ...dead, scriptIds: ['scr_2'] }, 2), [idOf(7, 0, 'scr_2')])
      assert.deepEqual(await walk({ ...dead, eventNames: ['PageView'] }, 2), [])
      const places = [
        [3, 0],
        [4, 0],
        [12, 0],
      ] as const
      assert.deepEqual(await walk({ ...dead, places }, 1), [idOf(3, 0, 'scr_1'), idOf(12, 0, 'scr_1')])
      assert.deepEqual((await store.replays.candidates('tag_2', dead, undefined, 10)).rows, [])
    })

    test('a replay is read as it was written, listed newest first, and unfinished until it ends', async () => {
      await store.write([1, 2].map((n) => ({ add: 'replay', row: record(n) })))
      assert.deepEqual(await store.replays.get('rep_1'), record(1))
      assert.deepEqual((await store.replays.list('tag_1', { limit: 5 })).rows, [record(2), record(1)])
      await store.replays.saveProgress('rep_1', { state: 'done', tally: {}, endedAt: at })
      assert.deepEqual(await store.replays.unfinished(), [record(2)])
    })

    test('a slice requeues, counts and moves the cursor in one write; reverting restores the earlier states', async () => {
      const [candidate] = (await store.replays.candidates('tag_1', { statuses: ['dead'] }, undefined, 1)).rows
      const step = {
        state: 'running',
        tally: {},
        cursor: 'here',
        startedAt: at,
        requeued: [candidate!],
        nextAt: at + 50,
      } as const
      await store.replays.saveProgress('rep_2', step)
      assert.deepEqual(await store.replays.statusOf(idOf(3, 0, 'scr_1')), { status: 'pending' })
      assert.deepEqual(await store.replays.pendingByScript('rep_2', 10), { scr_1: 1 })
      assert.equal((await store.replays.get('rep_2'))?.cursor, 'here')
      await store.write([{ stop: 'replay', replayId: 'rep_2' }])
      await store.replays.saveProgress('rep_2', { state: 'running', tally: {} })
      assert.equal((await store.replays.get('rep_2'))?.state, 'stopping', 'an earlier slice does not restart it')
      await store.replays.revertPending('rep_2')
      assert.deepEqual(await store.replays.statusOf(idOf(3, 0, 'scr_1')), { status: 'dead', reason: 'vendorDown' })
      assert.deepEqual(await store.queries('team_1').replayed('tag_1', ['rep_2', 'rep_9']), [
        { scr_1: { dead: 1 } },
        {},
      ])
    })

    test('a delivery in flight is not reverted', async () => {
      await store.write([{ add: 'replay', row: record(3) }])
      const [candidate] = (await store.replays.candidates('tag_1', { statuses: ['dead'] }, undefined, 1)).rows
      await store.replays.saveProgress('rep_3', { state: 'running', tally: {}, requeued: [candidate!], nextAt: at })
      await store.journal.markInFlight([{ deliveryId: candidate!.deliveryId, untilMs: at + 60_000 }])
      await store.replays.revertPending('rep_3')
      assert.deepEqual(await store.replays.pendingByScript('rep_3', 10), { scr_1: 1 })
    })
  })
}
