import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../test/fake/clock.ts'
import { openQueryPool, type QueryPoolOptions, QueryRefused } from './queryPool.ts'
import { openQueryThread } from './queryThread.ts'

const thread = new URL('./thread.ts', import.meta.url).href

/**
 * `hang` never ends, `throw` fails, `wait` ends when the first number of the shared memory is set, `thread` returns the
 * id of its thread. Any other query returns itself.
 */
const program = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { threadId } from 'node:worker_threads'
    import { runThread } from '${thread}'
    runThread((shared) => ({
      answer(ask) {
        while (ask === 'hang');
        if (ask === 'throw') throw new Error('no such table')
        if (ask === 'wait') {
          Atomics.add(shared, 1, 1)
          Atomics.wait(shared, 0, 0)
        }
        return ask === 'thread' ? String(threadId) : ask
      },
      close() {},
    }))`)}`,
)

type PoolOptions = QueryPoolOptions & { threads: number; limitMs: number }

function open(t: TestContext, { threads = 2, limitMs = 100_000, ...options }: Partial<PoolOptions> = {}) {
  const shared = new Int32Array(new SharedArrayBuffer(8))
  const slots = Array.from({ length: threads }, () => openQueryThread<string, string>(program, shared, limitMs))
  const pool = openQueryPool(slots, { perName: 4, waitMs: 100_000, idleMs: 60_000, ...options })
  const release = () => {
    Atomics.store(shared, 0, 1)
    Atomics.notify(shared, 0)
  }
  t.after(async () => {
    release()
    await pool.close()
  })
  /** Resolves when `count` queries wait in their threads. */
  const running = async (count: number) => {
    while (Atomics.load(shared, 1) < count) await new Promise((resolve) => setImmediate(resolve))
  }
  return { pool, release, running }
}

const refused = (why: string) => (problem: unknown) => problem instanceof QueryRefused && problem.why === why

test('queries resolve to their results, and a query that throws rejects only for its caller', async (t) => {
  const { pool } = open(t)
  assert.equal(await pool.ask('team_1', 'a'), 'a')
  await assert.rejects(pool.ask('team_1', 'throw'), /no such table/)
  assert.deepEqual(await Promise.all(['b', 'c', 'd'].map((each) => pool.ask('team_1', each))), ['b', 'c', 'd'])
})

test('a query that takes too long is terminated, and its thread is replaced', async (t) => {
  const { pool } = open(t, { limitMs: 2_000 })
  await assert.rejects(pool.ask('team_1', 'hang'), refused('tooSlow'))
  assert.equal(await pool.ask('team_1', 'a'), 'a')
})

test('a name never uses all threads, so that another name is served while its queries run', async (t) => {
  const { pool, release, running } = open(t)
  const slow = ['wait', 'wait', 'wait'].map((each) => pool.ask('team_1', each))
  await running(1)
  assert.equal(await pool.ask('team_2', 'b'), 'b')
  release()
  assert.deepEqual(await Promise.all(slow), ['wait', 'wait', 'wait'])
})

test('names take turns, so that a name waits for at most one query of another', async (t) => {
  const { pool, release, running } = open(t, { threads: 1 })
  const order: string[] = []
  const ask = (name: string, what: string) => pool.ask(name, what).then(() => order.push(name))
  const all = [ask('team_1', 'wait')]
  await running(1)
  all.push(ask('team_1', 'a'), ask('team_1', 'b'), ask('team_2', 'c'), ask('team_1', 'd'))
  release()
  await Promise.all(all)
  assert.ok(order.indexOf('team_2') <= 2, order.join(' '))
})

test('the counted queries of a name are limited, and uncounted queries are not', async (t) => {
  const { pool, release, running } = open(t, { perName: 2 })
  const counted = [pool.ask('team_1', 'wait'), pool.ask('team_1', 'a')]
  await running(1)
  await assert.rejects(pool.ask('team_1', 'b'), refused('tooMany'))
  const uncounted = pool.ask('team_1', 'c', false)
  assert.equal(await pool.ask('team_2', 'd'), 'd')
  release()
  assert.deepEqual(await Promise.all([...counted, uncounted]), ['wait', 'a', 'c'])
  assert.equal(await pool.ask('team_1', 'e'), 'e')
})

test('a query that waits too long for a thread is refused', async (t) => {
  const { pool, release, running } = open(t, { threads: 1, waitMs: 500 })
  const first = pool.ask('team_1', 'wait')
  await running(1)
  await assert.rejects(pool.ask('team_2', 'a'), refused('busy'))
  release()
  assert.equal(await first, 'wait')
})

test('threads end when the pool is idle, and new ones start for the next query', async (t) => {
  const { pool } = open(t, { idleMs: 1 })
  const first = await pool.ask('team_1', 'thread')
  await until('another thread answers', async () => (await pool.ask('team_1', 'thread')) !== first)
})

test('close rejects running, waiting and later queries', async (t) => {
  const { pool } = open(t, { threads: 1 })
  const queries = Promise.allSettled(['hang', 'a', 'b'].map((each) => pool.ask('team_1', each)))
  await pool.close()
  for (const { status } of await queries) assert.equal(status, 'rejected')
  await assert.rejects(pool.ask('team_1', 'c'), /closed/)
})
