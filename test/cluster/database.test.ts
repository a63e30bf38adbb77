import assert from 'node:assert/strict'
import { after, afterEach, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../fake/aglet.ts'
import { type DatabasePaths, openTestCluster, skipWithoutCluster, type TestCluster } from '../fake/cluster.ts'
import { mountSmallDisk, type SmallDisk, whyNot } from '../fault/disk.ts'
import { report } from '../fault/faultRig.ts'
import { random, seed } from '../fault/random.ts'
import { type DatabaseFault, otherFaults, pathFaults, primaryFaults } from './databaseFaults.ts'
import { createRows, type RowSender, startRowSender } from './rowSender.ts'

const times = Number(process.env.FAULT_TIMES ?? 2)
const manyMs = 60_000
const diskMb = 400
const skip = skipWithoutCluster()
const next = random(seed)

const moreRows = async ({ acknowledged }: RowSender, count: number) => {
  const enough = acknowledged.size + count
  await until(() => acknowledged.size > enough, manyMs)
}

/** The rows of these that the database has not. */
async function missingRows(cluster: TestCluster, keys: Iterable<string>): Promise<string[]> {
  const rows = await cluster.sql('SELECT key FROM public.row_sent', 'aglet')
  const stored = new Set(rows.map(({ key }) => key as string))
  return [...keys].filter((key) => !stored.has(key))
}

describe('acknowledged rows of a client', { skip }, () => {
  let cluster: TestCluster
  before(async () => {
    cluster = await openTestCluster()
    await cluster.sql(`${createRows}; GRANT ALL ON public.row_sent TO aglet`, 'aglet')
  })
  after(() => cluster?.close())
  afterEach(() => cluster.repair())

  async function repeatFault(
    t: TestContext,
    { name, act }: DatabaseFault,
    paths: DatabasePaths,
    sender: RowSender,
  ): Promise<void> {
    let slowestMs = 0
    let longestGapMs = 0
    for (let n = 0; n < times; n++) {
      await moreRows(sender, 100 + next() * 300)
      sender.longestGapMs()
      const begun = performance.now()
      await act({ cluster, paths, random: next })
      await moreRows(sender, 100)
      longestGapMs = Math.max(longestGapMs, sender.longestGapMs())
      await cluster.settled()
      slowestMs = Math.max(slowestMs, performance.now() - begun)
    }
    await moreRows(sender, 100)
    await sender.stop()
    const lost = await missingRows(cluster, sender.acknowledged)
    const errors = Object.fromEntries(sender.failed)
    report(t, `database: ${name}`, {
      times,
      accepted: sender.acknowledged.size,
      lost: lost.length,
      slowestMs: Math.round(slowestMs),
      slowestGapMs: Math.round(longestGapMs),
      errors: JSON.stringify(errors),
    })
    assert.deepEqual(lost, [])
  }

  for (const fault of [...primaryFaults, ...otherFaults, ...pathFaults])
    test(`${times} × ${fault.name}: none is lost (SEED=${seed})`, async (t) => {
      await cluster.settled()
      const paths = await cluster.openPaths()
      const sender = startRowSender(paths.url, `${fault.name}-${seed}`)
      await repeatFault(t, fault, paths, sender).finally(sender.stop)
    })
})

const lacksDisk = skip || whyNot.small()

describe('acknowledged rows of a client, when the disk of the primary is full', { skip: lacksDisk }, () => {
  test(`${times} × none is lost, and rows are stored again when there is room (SEED=${seed})`, async (t) => {
    const disks = new Map<string, SmallDisk>()
    const cluster = await openTestCluster({
      mountDisk: (name, at) => void disks.set(name, mountSmallDisk(at, diskMb)),
      parameters: { max_wal_size: '64MB', wal_keep_size: '32MB' },
    })
    t.after(cluster.close)
    await cluster.sql(`${createRows}; GRANT ALL ON public.row_sent TO aglet`, 'aglet')
    const sender = startRowSender(cluster.url(), `disk-${seed}`)
    t.after(sender.stop)
    for (let n = 0; n < times; n++) {
      await moreRows(sender, 200)
      const disk = disks.get((await cluster.primary()).name)!
      disk.fill()
      await cluster.sql('CREATE TABLE public.too_large AS SELECT generate_series(1, 100000)', 'aglet').then(
        () => assert.fail('the disk was not full'),
        () => {},
      )
      await wait(2_000)
      disk.empty()
      await moreRows(sender, 200)
      await cluster.settled()
    }
    await sender.stop()
    const lost = await missingRows(cluster, sender.acknowledged)
    const errors = JSON.stringify(Object.fromEntries(sender.failed))
    report(t, 'database: full disk', { times, accepted: sender.acknowledged.size, lost: lost.length, errors })
    assert.deepEqual(lost, [])
  })
})

describe('acknowledged rows of a client, when standbys stand still and the primary is killed', { skip }, () => {
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
