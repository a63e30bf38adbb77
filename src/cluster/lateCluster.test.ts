import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '#kit/log.ts'
import { until } from '../../test/fake/clock.ts'
import { type Cluster, type ClusterChange, everythingChanged } from './cluster.ts'
import { openInProcessCluster } from './inProcess.ts'
import { openLateCluster } from './lateCluster.ts'
import { notingWorkers } from './slotWorker.fixture.ts'

class Away extends Error {}

/** A cluster whose database answers when the test allows it. */
function openLate(first?: ClusterChange) {
  const lines: Parameters<Log>[0][] = []
  const state: { error: Error | undefined; tries: number; followed: number; closed: number } = {
    error: new Away('away'),
    tries: 0,
    followed: 0,
    closed: 0,
  }
  const inner: Cluster = {
    ...openInProcessCluster(),
    changes: { follow: () => void state.followed++, acknowledged: async () => {} },
    close: async () => void state.closed++,
  }
  const cluster = openLateCluster({
    async join() {
      state.tries++
      if (state.error) throw state.error
      return inner
    },
    mayPass: (error) => error instanceof Away,
    log: (line) => void lines.push(line),
    ...(first && { first }),
  })
  return { cluster, state, lines }
}

test('while the database is away a process is alone, holds no lease and starts no worker; then it joins', async () => {
  const { cluster, state, lines } = openLate()
  const { workers, start } = notingWorkers()
  cluster.changes.follow(async () => {})
  const work = await cluster.startWorker(start)
  assert.equal(cluster.members.count('edge'), 1)
  assert.equal(cluster.members.silentMs(), Number.POSITIVE_INFINITY)
  assert.equal(await cluster.leases.holds('retention'), false)
  assert.equal(workers.length, 0)
  const exclusive = cluster.leases.exclusive('start', async () => 'done')
  await until('it tries again', () => state.tries > 1)
  assert.deepEqual(lines, [], 'the caller has said that it is away')
  state.error = undefined
  assert.equal(await exclusive, 'done')
  await until('the worker has started', () => workers.length === 1)
  assert.equal(cluster.members.silentMs(), 0)
  assert.ok(await cluster.leases.holds('retention'))
  assert.equal(state.followed, 1)
  assert.equal(lines.length, 1)
  await work.stop()
  assert.ok(workers[0]!.isStopped)
  await cluster.close()
  assert.equal(state.closed, 1)
})

test('a database that answers and cannot be used is told once, and used when that is mended', async () => {
  const { cluster, state, lines } = openLate()
  state.error = new Error('it is the event shard 2, not 1')
  const since = state.tries
  await until('it tries again', () => state.tries > since + 2)
  assert.deepEqual(
    lines.map(({ level, error }) => [level, `${error}`]),
    [['error', 'Error: it is the event shard 2, not 1']],
  )
  state.error = undefined
  await until('it has joined', () => cluster.members.silentMs() === 0)
  await cluster.close()
})

test('a process that is stopped before the database responds starts no worker', async () => {
  const { cluster, state } = openLate()
  const { workers, start } = notingWorkers()
  const work = await cluster.startWorker(start)
  await Promise.all([work.stop(), cluster.close()])
  const { tries } = state
  state.error = undefined
  await new Promise((resolve) => setTimeout(resolve, 0))
  assert.deepEqual([workers.length, state.closed, state.tries], [0, 0, tries])
})

test('everything is applied before the changes of the feed, until that succeeds, and the process is silent until then', async () => {
  const { cluster, state } = openLate(everythingChanged)
  const applied: ClusterChange[] = []
  let failure: Error | undefined = new Away('away')
  const follow = () =>
    cluster.changes.follow(async (change) => {
      applied.push(change)
      if (failure) throw failure
    })
  follow()
  state.error = undefined
  await until('it is tried again', () => applied.length > 1)
  assert.deepEqual([state.followed, cluster.members.silentMs()], [0, Number.POSITIVE_INFINITY])
  failure = undefined
  await until('it follows', () => state.followed === 1)
  assert.equal(cluster.members.silentMs(), 0)
  follow() // a later follower gets it too
  await until('it follows', () => state.followed === 2)
  assert.ok(applied.every((change) => change === everythingChanged))
  await cluster.close()
})
