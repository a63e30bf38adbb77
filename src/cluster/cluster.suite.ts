import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { until } from '../../test/fake/clock.ts'
import type { Cluster } from './cluster.ts'
import { slotCount } from './slotOf.ts'
import { notingWorkers } from './slotWorker.fixture.ts'

/** The laws of every cluster. `open` returns a process that is alone in a cluster of its own. */
export function clusterLaws(name: string, open: () => Promise<Cluster>, skip: string | false = false): void {
  describe(`the cluster of one process: ${name}`, { skip }, () => {
    test('the only worker gains every slot, and may work on every tag', async () => {
      const cluster = await open()
      const { last, start } = notingWorkers()
      const work = await cluster.startWorker(start)
      await until('it owns all slots', () => last().ownership.slots().length === slotCount)
      assert.equal(new Set(last().gainedSlots).size, slotCount)
      assert.ok(['a', 'b', 'c'].every((tagId) => last().ownership.owns(tagId)))
      assert.ok(last().ownership.mayStart())
      await work.stop()
      assert.ok(last().isStopped)
      await cluster.close()
    })

    test('the only process counts for each role, and holds every lease', async () => {
      const cluster = await open()
      assert.equal(cluster.members.count('worker'), 1)
      assert.equal(cluster.members.count('edge'), 1)
      assert.ok(await cluster.leases.holds('retention'))
      assert.ok(await cluster.leases.holds('retention'))
      await cluster.close()
    })

    test('exclusive work runs one after the other, and its failure is thrown', async () => {
      const cluster = await open()
      const { exclusive } = cluster.leases
      const order: string[] = []
      const task = (name: string) =>
        exclusive('task', async () => {
          order.push(`${name} begins`)
          await new Promise((resolve) => setImmediate(resolve))
          order.push(`${name} ends`)
        })
      await Promise.all([task('one'), task('two')])
      assert.deepEqual(order, ['one begins', 'one ends', 'two begins', 'two ends'])
      const failing = exclusive('task', async () => {
        throw new Error('no')
      })
      await assert.rejects(failing, /^Error: no$/)
      await task('three')
      await cluster.close()
    })

    test('a change is acknowledged when this process has applied it', async () => {
      const cluster = await open()
      cluster.changes.follow(async () => {})
      await cluster.changes.acknowledged(0)
      await cluster.close()
    })
  })
}
