import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ReplayFilter, ReplayRecord } from './replays.ts'
import { at, ground, planned, type StoreHome } from './store.fixture.ts'
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

/** What every store obeys about replays. */
export function replayLaws(makeHome: () => Promise<StoreHome>): void {
  describe('replays', () => {
    let home: StoreHome
    let store: Store
    before(async () => {
      home = await makeHome()
      store = await home.open()
      await store.write(ground)
      await store.journal.plan(Array.from({ length: 20 }, (_, n) => planned(n + 1)))
      const failed = [3, 7, 7.5, 12].map((n) => `dlv_${Math.floor(n)}_0_scr_${n % 1 ? 2 : 1}`)
      await store.journal.settle(failed.map((deliveryId) => ({ deliveryId, status: 'dead', reason: 'vendorDown' })))
      await store.journal.settle([{ deliveryId: 'dlv_9_0_scr_1', status: 'delivered' }])
    })
    after(async () => {
      await store.close()
      await home.remove()
    })

    /** All that a filter asks for, a few at a time. */
    async function walk(filter: ReplayFilter, limit: number): Promise<string[]> {
      const ids: string[] = []
      let reached: string | undefined
      do {
        const found = await store.replays.candidates('tag_1', filter, reached, limit)
        ids.push(...found.rows.map(({ deliveryId }) => deliveryId))
        reached = found.reached
      } while (reached !== undefined)
      return ids
    }

    test('what failed is found in the order it came, each once, however few are looked at in one go', async () => {
      const all = ['dlv_3_0_scr_1', 'dlv_7_0_scr_1', 'dlv_7_0_scr_2', 'dlv_12_0_scr_1']
      for (const limit of [1, 2, 3, 100]) {
        assert.deepEqual(await walk({ statuses: ['dead', 'refused'] }, limit), all)
        const any = await walk({ statuses: ['dead', 'delivered'] }, limit)
        assert.deepEqual(any, [...all.slice(0, 3), 'dlv_9_0_scr_1', 'dlv_12_0_scr_1'])
      }
    })

    test('time, name, script and place narrow it down', async () => {
      const dead = { statuses: ['dead'] } as const
      assert.deepEqual(await walk({ ...dead, from: at + 7, to: at + 11 }, 2), ['dlv_7_0_scr_1', 'dlv_7_0_scr_2'])
      assert.deepEqual(await walk({ ...dead, scriptIds: ['scr_2'] }, 2), ['dlv_7_0_scr_2'])
      assert.deepEqual(await walk({ ...dead, eventNames: ['PageView'] }, 2), [])
      const places = [
        [3, 0],
        [4, 0],
        [12, 0],
      ] as const
      assert.deepEqual(await walk({ ...dead, places }, 1), ['dlv_3_0_scr_1', 'dlv_12_0_scr_1'])
      assert.deepEqual((await store.replays.candidates('tag_2', dead, undefined, 10)).rows, [])
    })

    test('a replay is read as it was written, listed newest first, and open until it has ended', async () => {
      await store.write([1, 2].map((n) => ({ add: 'replay', row: record(n) })))
      assert.deepEqual(await store.replays.get('rep_1'), record(1))
      assert.deepEqual((await store.replays.list('tag_1', { limit: 5 })).rows, [record(2), record(1)])
      await store.replays.step('rep_1', { state: 'done', tally: {}, endedAt: at })
      assert.deepEqual(await store.replays.open(), [record(2)])
    })

    test('a step makes due, counts, and moves on, all at once; what is taken back stands as before', async () => {
      const [candidate] = (await store.replays.candidates('tag_1', { statuses: ['dead'] }, undefined, 1)).rows
      const step = {
        state: 'running',
        tally: {},
        reached: 'here',
        startedAt: at,
        again: [candidate!],
        nextAt: at + 50,
      } as const
      await store.replays.step('rep_2', step)
      assert.deepEqual(await store.replays.stands('dlv_3_0_scr_1'), { status: 'pending' })
      assert.deepEqual(await store.replays.pending('rep_2', 10), { scr_1: 1 })
      assert.equal((await store.replays.get('rep_2'))?.reached, 'here')
      await store.write([{ stop: 'replay', replayId: 'rep_2' }])
      await store.replays.step('rep_2', { state: 'running', tally: {} })
      assert.equal((await store.replays.get('rep_2'))?.state, 'stopping', 'a step that began before does not go on')
      await store.replays.takeBack('rep_2')
      assert.deepEqual(await store.replays.stands('dlv_3_0_scr_1'), { status: 'dead', reason: 'vendorDown' })
      assert.deepEqual(await store.queries('team_1').replayed(['rep_2', 'rep_9']), [{ scr_1: { dead: 1 } }, {}])
    })

    test('an attempt that is under way is not taken back', async () => {
      await store.write([{ add: 'replay', row: record(3) }])
      const [candidate] = (await store.replays.candidates('tag_1', { statuses: ['dead'] }, undefined, 1)).rows
      await store.replays.step('rep_3', { state: 'running', tally: {}, again: [candidate!], nextAt: at })
      await store.journal.begin([{ deliveryId: candidate!.deliveryId, untilMs: at + 60_000 }])
      await store.replays.takeBack('rep_3')
      assert.deepEqual(await store.replays.pending('rep_3', 10), { scr_1: 1 })
    })
  })
}
