import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { allPages, at, baseChanges } from './store.fixture.ts'
import type { Store } from './store.ts'
import { keptRuns, type RunRecord } from './webhookRuns.ts'

const run = (number: number, overrides: Partial<RunRecord> = {}): RunRecord => ({
  runId: `run_${number}`,
  tagId: 'tag_1',
  scriptId: 'scr_1',
  at: at + number,
  sealed: Uint8Array.of(number & 255),
  eventKeys: [],
  ...overrides,
})

/** The laws of every store for the runs of webhooks. */
export function runLaws(store: () => Store): void {
  describe('runs of webhooks', () => {
    before(() => store().write(baseChanges))
    const idsOf = async (scriptId: string) =>
      (await allPages(300, (page) => store().runs.list(scriptId, page))).map(({ runId }) => runId)

    test('are listed newest first, those of their script alone', async () => {
      const { eventKeys: _, ...first } = run(1)
      await store().write([{ add: 'runs', rows: [run(1), run(2), run(3, { scriptId: 'scr_2' })] }])
      assert.deepEqual(await idsOf('scr_1'), ['run_2', 'run_1'])
      assert.deepEqual((await store().runs.list('scr_1', { limit: 5 })).rows[1], first)
    })

    test('are found by an event that came of them, those of the tag alone', async () => {
      await store().write([{ add: 'runs', rows: [run(4, { eventKeys: [5n, -7n] })] }])
      assert.deepEqual(await store().runs.ofEvent('tag_1', [9n, -7n]), { runId: 'run_4', scriptId: 'scr_1' })
      assert.equal(await store().runs.ofEvent('tag_2', [5n]), undefined)
      assert.equal(await store().runs.ofEvent('tag_1', [6n]), undefined)
    })

    test('are erased by the events that came of them and by their ids, those of the tag alone', async () => {
      const own = { scriptId: 'scr_erase' }
      const other = run(8, { scriptId: 'scr_other', tagId: 'tag_2', eventKeys: [17n] })
      await store().write([{ add: 'runs', rows: [run(6, { ...own, eventKeys: [17n] }), run(7, own), other] }])
      await store().write([{ erase: 'runs', tagId: 'tag_1', keys: [17n, 18n] }])
      assert.deepEqual([await idsOf('scr_erase'), await idsOf('scr_other')], [['run_7'], ['run_8']])
      const named = { scriptId: 'scr_erase', runId: 'run_7' }
      await store().write([{ erase: 'runs', tagId: 'tag_2', keys: [], runs: [named] }])
      assert.deepEqual(await idsOf('scr_erase'), ['run_7'])
      await store().write([{ erase: 'runs', tagId: 'tag_1', keys: [], runs: [named] }])
      assert.deepEqual(await idsOf('scr_erase'), [])
    })

    test('of a script are the newest thousand; old ones, and those of a deleted script, are gone', async () => {
      const rows = Array.from({ length: keptRuns + 2 }, (_, n) => run(n, { scriptId: 'scr_many', runId: `run_m${n}` }))
      await store().write([{ add: 'runs', rows }])
      const ids = await idsOf('scr_many')
      assert.deepEqual([ids.length, ids[0], ids.at(-1)], [keptRuns, `run_m${keptRuns + 1}`, 'run_m2'])
      const before = at + keptRuns
      assert.equal(await store().runs.hasOlder(before), true)
      await store().write([{ drop: 'runs', before }])
      assert.ok((await idsOf('scr_many')).length > 2, 'a slice')
      while (await store().runs.hasOlder(before)) await store().write([{ drop: 'runs', before }])
      assert.deepEqual(await idsOf('scr_many'), [`run_m${keptRuns + 1}`, `run_m${keptRuns}`])
      assert.equal(await store().runs.ofEvent('tag_1', [5n]), undefined)
      await store().write([{ drop: 'script', scriptId: 'scr_many' }])
      assert.deepEqual(await idsOf('scr_many'), [])
    })
  })
}
