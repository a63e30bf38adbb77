import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApart } from './apart.ts'

const kit = new URL('./apart.ts', import.meta.url).href

/** A program of one expression: `answer` may use `data`. */
const program = (answer: string, close = '') =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { runApart } from '${kit}'
      runApart((data) => ({ answer: ${answer}, async close() { ${close} } }))`)}`,
  )

test('what is asked is answered when it is done, whatever was asked before', async (t) => {
  const answer =
    '(() => { let go; return (n) => n === 1 ? new Promise((done) => { go = done }) : (go?.(10), n * data) })()'
  const apart = openApart<number, number>(program(answer), 10)
  t.after(apart.close)
  const answers: number[] = []
  await Promise.all([1, 2].map((n) => apart.ask(n).then((value) => answers.push(value))))
  assert.deepEqual(answers.toSorted(), [10, 20])
})

test('many pieces of work are under way at a time', async (t) => {
  const answer =
    '(() => { const all = []; return () => new Promise((done) => { if (all.push(done) === 100) all.forEach((each) => each(all.length)) }) })()'
  const apart = openApart<number, number>(program(answer), 0)
  t.after(apart.close)
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => apart.ask(n)))
  assert.deepEqual(new Set(answers), new Set([100]))
})

test('what a piece of work throws rejects that one alone', async (t) => {
  const apart = openApart<number, number>(
    program('async (n) => { if (n === 2) throw new Error("not two"); return n }'),
    0,
  )
  t.after(apart.close)
  const answers = await Promise.allSettled([1, 2, 3].map(apart.ask))
  assert.deepEqual(
    answers.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.message)),
    [1, 'not two', 3],
  )
})

test('a thread that fails rejects all that is under way, and the next ask starts another', async (t) => {
  const fails =
    '(n) => n === 1 ? new Promise(() => {}) : n === 2 ? void setImmediate(() => { throw new Error("a bug") }) ?? new Promise(() => {}) : n'
  const apart = openApart<number, number>(program(`async (n) => (${fails})(n)`), 0)
  t.after(apart.close)
  assert.equal(await apart.ask(3), 3)
  for (const { status, ...why } of await Promise.allSettled([1, 2].map(apart.ask))) {
    assert.equal(status, 'rejected')
    assert.match(String((why as { reason?: unknown }).reason), /a bug/)
  }
  assert.equal(await apart.ask(4), 4)
})

test('a thread that cannot start rejects what was asked', async (t) => {
  const apart = openApart<number, number>(new URL('data:text/javascript,throw new Error("no such part")'), 0)
  t.after(apart.close)
  await assert.rejects(apart.ask(1), /no such part/)
})

test('closing answers what was asked before, lets the work let go, and refuses what comes later', async () => {
  const shared = new Int32Array(new SharedArrayBuffer(4))
  const apart = openApart<number, number>(
    program('async (n) => (await new Promise(setImmediate), n)', 'Atomics.store(data, 0, 1)'),
    shared,
  )
  const asked = apart.ask(1)
  await Promise.all([apart.close(), apart.close()])
  assert.equal(await asked, 1)
  assert.equal(shared[0], 1)
  await assert.rejects(apart.ask(2), /closed/)
})

test('of what was never asked no thread is started', async () => {
  const apart = openApart<number, number>(new URL('data:text/javascript,throw new Error("started")'), 0)
  await apart.close()
})
