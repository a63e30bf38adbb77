import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openRpcWorker } from './rpcWorker.ts'

const kit = new URL('./rpcWorker.ts', import.meta.url).href

/** A program of one expression: `answer` may use `data`. */
const program = (answer: string, close = '') =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { serveRpc } from '${kit}'
      serveRpc((data) => ({ answer: ${answer}, async close() { ${close} } }))`)}`,
  )

test('a call is answered when it is done, independently of earlier calls', async (t) => {
  const answer =
    '(() => { let go; return (n) => n === 1 ? new Promise((done) => { go = done }) : (go?.(10), n * data) })()'
  const worker = openRpcWorker<number, number>(program(answer), 10)
  t.after(worker.close)
  const answers: number[] = []
  await Promise.all([1, 2].map((n) => worker.ask(n).then((value) => answers.push(value))))
  assert.deepEqual(answers.toSorted(), [10, 20])
})

test('many calls are handled concurrently', async (t) => {
  const answer =
    '(() => { const all = []; return () => new Promise((done) => { if (all.push(done) === 100) all.forEach((each) => each(all.length)) }) })()'
  const worker = openRpcWorker<number, number>(program(answer), 0)
  t.after(worker.close)
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => worker.ask(n)))
  assert.deepEqual(new Set(answers), new Set([100]))
})

test('an error of a handler rejects only its own call', async (t) => {
  const worker = openRpcWorker<number, number>(
    program('async (n) => { if (n === 2) throw new Error("not two"); return n }'),
    0,
  )
  t.after(worker.close)
  const answers = await Promise.allSettled([1, 2, 3].map(worker.ask))
  assert.deepEqual(
    answers.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.message)),
    [1, 'not two', 3],
  )
})

test('a failed thread rejects all pending calls, and the next call starts a new thread', async (t) => {
  const fails =
    '(n) => n === 1 ? new Promise(() => {}) : n === 2 ? void setImmediate(() => { throw new Error("a bug") }) ?? new Promise(() => {}) : n'
  const worker = openRpcWorker<number, number>(program(`async (n) => (${fails})(n)`), 0)
  t.after(worker.close)
  assert.equal(await worker.ask(3), 3)
  for (const { status, ...why } of await Promise.allSettled([1, 2].map(worker.ask))) {
    assert.equal(status, 'rejected')
    assert.match(String((why as { reason?: unknown }).reason), /a bug/)
  }
  assert.equal(await worker.ask(4), 4)
})

test('a thread that cannot start rejects the call', async (t) => {
  const worker = openRpcWorker<number, number>(new URL('data:text/javascript,throw new Error("no such part")'), 0)
  t.after(worker.close)
  await assert.rejects(worker.ask(1), /no such part/)
})

test('close waits for pending calls, releases the resources of the handler, and rejects later calls', async () => {
  const shared = new Int32Array(new SharedArrayBuffer(4))
  const worker = openRpcWorker<number, number>(
    program('async (n) => (await new Promise(setImmediate), n)', 'Atomics.store(data, 0, 1)'),
    shared,
  )
  const pending = worker.ask(1)
  await Promise.all([worker.close(), worker.close()])
  assert.equal(await pending, 1)
  assert.equal(shared[0], 1)
  await assert.rejects(worker.ask(2), /closed/)
})

test('no thread is started without a call', async () => {
  const started = new Int32Array(new SharedArrayBuffer(4))
  const note = `import { workerData } from 'node:worker_threads'; Atomics.store(workerData, 0, 1)`
  const worker = openRpcWorker<number, number>(new URL(`data:text/javascript,${encodeURIComponent(note)}`), started)
  await worker.close()
  assert.equal(started[0], 0)
})
