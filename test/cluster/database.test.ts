import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { until } from '../fake/aglet.ts'
import { openTestCluster, skipWithoutCluster, type TestCluster } from '../fake/cluster.ts'
import { report } from '../fault/faultRig.ts'
import { openClusterDisks, whyNoDisks } from './clusterDisks.ts'
import { otherPart } from './clusterFaults.ts'
import { missingRows } from './clusterLoad.ts'
import { createRows, type RowSender, startRowSender } from './rowSender.ts'

const manyMs = 60_000
const mostTries = 5
const parameters = { synchronous_commit: 'off', max_wal_size: '96MB', wal_keep_size: '64MB' }

const moreRows = async ({ acknowledged }: RowSender, count: number) => {
  const enough = acknowledged.size + count
  await until(() => acknowledged.size > enough, manyMs)
}

// A setup on which Aglet refuses to start. processes.test.ts has the same faults on a correct cluster.
describe('control: rows of a plain client, with commits that are neither synced nor replicated', {
  skip: skipWithoutCluster() || otherPart('controls'),
}, () => {
  const disks = openClusterDisks()
  let cluster: TestCluster
  before(async () => {
    cluster = await openTestCluster({
      isSynchronous: false,
      parameters,
      ...(!whyNoDisks && { mountDisk: disks.mountDisk }),
    })
    await cluster.sql(`${createRows}; GRANT ALL ON public.row_sent TO aglet`, 'aglet')
  })
  after(() => cluster?.close())

  /** Repeats a fault until acknowledged rows are missing. */
  async function lose(t: TestContext, name: string, fault: (sender: RowSender) => Promise<void>): Promise<void> {
    let [lost, accepted, times] = [0, 0, 0]
    for (; lost === 0 && times < mostTries; times++) {
      await cluster.settled()
      const sender = startRowSender(cluster.url(), `${name}-${times}`)
      await moreRows(sender, 100)
      await fault(sender).finally(sender.stop)
      accepted += sender.acknowledged.size
      // A standby whose disk lost confirmed data may not come back: a leader is enough to count rows.
      let missing: string[] | undefined
      await until(async () => {
        missing = await missingRows(cluster, sender.acknowledged).catch(() => undefined)
        return missing !== undefined
      }, manyMs)
      lost += missing!.length
    }
    report(t, `database: ${name} (control)`, { times, accepted, lost })
    assert.ok(lost > 0, 'nothing was lost: then this harness does not show what it is for')
  }

  test('they are lost when the standbys stand still and the primary is killed', (t) =>
    lose(t, 'no replication', async (sender) => {
      const primary = await cluster.primary()
      const standbys = await cluster.standbys()
      for (const standby of standbys) cluster.freeze(standby)
      await moreRows(sender, 200)
      cluster.kill(primary)
      for (const standby of standbys) cluster.thaw(standby)
      await until(async () => ![undefined, primary.name].includes((await cluster.leader())?.name), manyMs)
      primary.start()
    }))

  test('they are lost when the power of all machines fails', { skip: whyNoDisks }, (t) =>
    lose(t, 'no sync', () => disks.losePower(cluster.nodes)),
  )
})
