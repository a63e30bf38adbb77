import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../fake/aglet.ts'
import { openTestCluster, skipWithoutCluster } from '../fake/cluster.ts'
import { report } from '../fault/faultRig.ts'
import { openClusterDisks, whyNoDisks } from './clusterDisks.ts'
import { missingRows } from './clusterLoad.ts'
import { createRows, type RowSender, startRowSender } from './rowSender.ts'

const manyMs = 60_000
const mostTries = 5
const skip = skipWithoutCluster()

const moreRows = async ({ acknowledged }: RowSender, count: number) => {
  const enough = acknowledged.size + count
  await until(() => acknowledged.size > enough, manyMs)
}

describe('rows of a plain client, when standbys stand still and the primary is killed', { skip }, () => {
  /** Gives the rows that were acknowledged and are lost after the failover. */
  async function loseThePrimary(isSynchronous: boolean): Promise<{ acknowledged: number; lost: number }> {
    const parameters = isSynchronous ? undefined : { synchronous_commit: 'off' }
    const cluster = await openTestCluster({ isSynchronous, ...(parameters && { parameters }) })
    try {
      await cluster.sql(`${createRows}; GRANT ALL ON public.row_sent TO aglet`, 'aglet')
      const sender = startRowSender(cluster.url(), 'control')
      await moreRows(sender, 100)
      const primary = await cluster.primary()
      const standbys = await cluster.standbys()
      for (const standby of standbys) cluster.freeze(standby)
      await (isSynchronous ? wait(500) : moreRows(sender, 200))
      cluster.kill(primary)
      for (const standby of standbys) cluster.thaw(standby)
      await until(async () => ![undefined, primary.name].includes((await cluster.leader())?.name), manyMs)
      await sender.stop()
      const lost = await missingRows(cluster, sender.acknowledged)
      return { acknowledged: sender.acknowledged.size, lost: lost.length }
    } finally {
      await cluster.close()
    }
  }

  test('with synchronous replication none is lost', async () => {
    assert.equal((await loseThePrimary(true)).lost, 0)
  })

  test('control: without it rows are lost', async (t) => {
    const { acknowledged, lost } = await loseThePrimary(false)
    report(t, 'database: no synchronous replication (control)', { times: 1, accepted: acknowledged, lost })
    assert.ok(lost > 0, 'nothing was lost: then this harness does not show what it is for')
  })
})

describe('rows of a plain client, when the power fails', { skip: skip || whyNoDisks }, () => {
  test('control: with commits that are not synced they are lost', async (t) => {
    const disks = openClusterDisks()
    const parameters = { synchronous_commit: 'off', max_wal_size: '96MB', wal_keep_size: '64MB' }
    const cluster = await openTestCluster({ nodes: 1, isSynchronous: false, parameters, mountDisk: disks.mountDisk })
    t.after(cluster.close)
    await cluster.sql(`${createRows}; GRANT ALL ON public.row_sent TO aglet`, 'aglet')
    let [lost, acknowledged] = [0, 0]
    for (let tries = 0; lost === 0 && tries < mostTries; tries++) {
      const sender = startRowSender(cluster.url(), `power-${tries}`)
      await moreRows(sender, 100)
      await disks.losePower(cluster.nodes)
      await sender.stop()
      await cluster.settled()
      acknowledged += sender.acknowledged.size
      lost += (await missingRows(cluster, sender.acknowledged)).length
    }
    report(t, 'database: power loss without sync (control)', { times: 1, accepted: acknowledged, lost })
    assert.ok(lost > 0, 'nothing was lost: then this harness does not show what it is for')
  })
})
